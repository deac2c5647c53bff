// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import java.util.Optional;

/** What a VRF does for its hosts beside routing. */
public record Services(Optional<Dhcp> dhcp, Optional<Dns> dns) {
    /** Nothing. */
    public static final Services NONE = new Services(Optional.empty(), Optional.empty());
}
