// SPDX-License-Identifier: Apache-2.0
/**
 * What operators must know as it happens. Each event is one record, which says its notification of the model, its
 * severity and its line of text; logs, streams and syslog all are made of that. Knows no OpenDaylight.
 */
package io.penstock.events;
