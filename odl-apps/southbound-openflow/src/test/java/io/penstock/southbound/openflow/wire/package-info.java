// SPDX-License-Identifier: Apache-2.0
/** Round trips through bytes, and through a real Open vSwitch. */
package io.penstock.southbound.openflow.wire;
