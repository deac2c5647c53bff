// SPDX-License-Identifier: Apache-2.0
/** Tells events to clients: as notifications of OpenDaylight, and in a stream of server-sent events at a known path. */
package io.penstock.northbound.stream;
