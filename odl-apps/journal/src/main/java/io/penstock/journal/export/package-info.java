// SPDX-License-Identifier: Apache-2.0
/** Tells collectors of syslog and IPFIX of events, and of changes that the journal of public addresses has. */
package io.penstock.journal.export;
