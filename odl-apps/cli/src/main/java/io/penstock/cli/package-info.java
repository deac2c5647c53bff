// SPDX-License-Identifier: Apache-2.0
/** The commands of the Karaf console, scope penstock: they print what the engine's operations say. */
package io.penstock.cli;
