// SPDX-License-Identifier: Apache-2.0
/**
 * What a switch can be told, as plain values: flows with their matches and actions. Knows Open vSwitch words and
 * nothing of tenants, OpenDaylight or how flows are sent.
 */
package io.penstock.pipeline.flow;
