// SPDX-License-Identifier: Apache-2.0
/**
 * The way to the switches: sends and reads flows, packets and port states over OpenFlowPlugin's connections. The API
 * is {@link io.penstock.southbound.openflow.OpenFlowSouthbound}.
 *
 * <p>OpenFlowPlugin keeps the connections, roles, barriers and transaction ids. Flows do not pass its models: they go
 * to the switch as bytes, and come back as bytes, through its extension points (see {@code WireExtension}). Its Nicira
 * models lack fields and actions, read some back wrongly, and one flow that they do not know makes the whole answer of
 * a switch unreadable.
 *
 * <p>Knows nothing of tenants, nor of what a flow is for.
 */
package io.penstock.southbound.openflow;
