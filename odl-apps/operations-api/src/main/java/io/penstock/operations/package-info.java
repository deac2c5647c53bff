// SPDX-License-Identifier: Apache-2.0
/** What an operator asks of the engine, for the console and for RESTCONF. Plain values. */
package io.penstock.operations;
