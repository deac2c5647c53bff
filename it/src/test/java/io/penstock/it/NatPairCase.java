// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import io.penstock.testkit.Host;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** Two hosts behind NAT for all tests of a class; before each the switch is loaded. */
abstract class NatPairCase {
    static NatPair pair;
    static Host first;
    static Host second;

    @BeforeAll
    static void startPair() {
        pair = new NatPair();
        first = pair.first();
        second = pair.second();
    }

    @AfterAll
    static void stopPair() {
        pair.close();
    }

    @BeforeEach
    void load() {
        pair.load(NatPair.translated());
    }
}
