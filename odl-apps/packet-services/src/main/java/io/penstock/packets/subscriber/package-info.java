// SPDX-License-Identifier: Apache-2.0
/** Subscribers get blocks of ports when they need them and lose them when they are idle. */
package io.penstock.packets.subscriber;
