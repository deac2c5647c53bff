// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.registry;

/** The priorities of flows. Call sites name a rung and never calculate. */
public final class Priority {
    /** What no other flow wanted. */
    public static final int MISS = 0;
    /** A default for a part of a table, such as one tenant. */
    public static final int LOW = 100;
    /** The ordinary case. */
    public static final int NORMAL = 200;
    /** An exception to the ordinary case. */
    public static final int HIGH = 300;

    /** Before exceptions too, and below every prefix. */
    public static final int BEFORE_HIGH = 400;

    /** Most entries that the rules of a tenant have which say what goes through which chain. */
    public static final int CHAIN_RULES = 256;

    /** Above every prefix: what must hold whatever the routes are. */
    public static final int GUARD = 2000;

    /** Before all else of a table, but for entries of access lists. */
    public static final int FIRST = 3000;

    /** Before entries of access lists too. */
    public static final int TOP = 61000;

    private static final int PREFIX_BASE = 1000;
    private static final int ACL_BASE = 10000;
    /** Most entries an access control list can have. */
    public static final int ACL_ENTRIES = 50000;

    private Priority() {
        // Only functions.
    }

    /** Longest prefix first; above {@link #HIGH}. */
    public static int prefix(final int length) {
        return PREFIX_BASE + length;
    }

    /** Entry {@code index} of the rules for chains, from 0: earlier entries win. Above {@link #HIGH}. */
    public static int chainRule(final int index) {
        if (index < 0 || index >= CHAIN_RULES) {
            throw new IllegalArgumentException("entry " + index + " of rules for chains");
        }
        return PREFIX_BASE - 1 - index;
    }

    /** Entry {@code index} of an access control list, from 0: earlier entries win. */
    public static int aclEntry(final int index) {
        if (index < 0 || index >= ACL_ENTRIES) {
            throw new IllegalArgumentException("entry " + index + " of an access control list");
        }
        return ACL_BASE + ACL_ENTRIES - index;
    }
}
