// SPDX-License-Identifier: Apache-2.0
/** The commands of the Karaf console, scope penstock. They print what {@link io.penstock.engine.api.Operations} says. */
package io.penstock.cli;
