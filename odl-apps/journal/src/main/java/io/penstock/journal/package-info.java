// SPDX-License-Identifier: Apache-2.0
/** Who has had which public address and ports: kept for years, and read without the controller. */
package io.penstock.journal;
