// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.state;

/** A state of which it is told since when it is. */
interface Status<T> {
    /** Whether it is the same, whatever else differs. */
    boolean isLike(T other);
}
