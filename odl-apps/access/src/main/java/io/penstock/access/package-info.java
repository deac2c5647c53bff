// SPDX-License-Identifier: Apache-2.0
/** Who may do what: roles, and the decision on one request. It knows no servlet and no datastore. */
package io.penstock.access;
