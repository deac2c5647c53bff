// SPDX-License-Identifier: Apache-2.0
/**
 * A command run once, before the controller's first start. It owns the creation of the RESTCONF administrator;
 * it must not know anything of Penstock's network.
 */
package io.penstock.karaf.firstuser;
