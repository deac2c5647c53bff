// SPDX-License-Identifier: Apache-2.0
/** Has OpenDaylight's encryption service (AAA) start in every boot. Knows nothing of networks. */
package io.penstock.aaa;
