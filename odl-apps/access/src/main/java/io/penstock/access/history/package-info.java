// SPDX-License-Identifier: Apache-2.0
/** Changes of the configuration, read from the audit log while it is written. */
package io.penstock.access.history;
