// SPDX-License-Identifier: Apache-2.0
/** Whether instances of network functions pass packets on, found out by probes through them. */
package io.penstock.functions.health;
