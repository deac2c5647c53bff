// SPDX-License-Identifier: Apache-2.0
/** Files that are on the disk when a method returns, and the room that is left for them. */
@NullMarked
package io.penstock.base.disk;

import org.jspecify.annotations.NullMarked;
