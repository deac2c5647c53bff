// SPDX-License-Identifier: Apache-2.0
/** Who has changed what, and who was refused: kept for years, and read without the controller. */
package io.penstock.access.audit;
