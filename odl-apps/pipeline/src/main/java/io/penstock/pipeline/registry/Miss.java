// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.registry;

/** The fate of packets that no other flow of a table matches. */
public enum Miss {
    /** A flow drops and counts them. */
    DROP,
    /** A flow leads them to another table. */
    NEXT,
    /** The actions of a flow are all that is done with them. */
    END,
    /** There is no such flow: other tables look the table up, and go on whether one matches or not. */
    NONE
}
