// SPDX-License-Identifier: Apache-2.0
/** The links at which nodes exchange frames with hosts and routers, and how frames of the controller get there. */
package io.penstock.packets.link;
