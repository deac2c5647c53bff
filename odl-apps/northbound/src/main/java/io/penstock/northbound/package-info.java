// SPDX-License-Identifier: Apache-2.0
/** Makes the controller of its parts, and answers operators from the state of the engine and from the switches. */
@NullMarked
package io.penstock.northbound;

import org.jspecify.annotations.NullMarked;
