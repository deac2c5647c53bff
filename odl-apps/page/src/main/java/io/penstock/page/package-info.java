// SPDX-License-Identifier: Apache-2.0
/**
 * Serves the files of the web page. It knows nothing of the network: the page gets all data from RESTCONF, in the name
 * of its user.
 */
package io.penstock.page;
