// SPDX-License-Identifier: Apache-2.0
/** Tells collectors of syslog and IPFIX of events, and of what the journal of public addresses has been told. */
package io.penstock.journal.export;
