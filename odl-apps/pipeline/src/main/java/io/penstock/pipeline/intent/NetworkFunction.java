// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

/** A network function behind two vhost-user ports of a node. */
public record NetworkFunction(String name, String node, FailPolicy failPolicy, boolean shared) {
    /** What becomes of the traffic while a port is down. */
    public enum FailPolicy { OPEN, CLOSED }

    /** Port on the tenant side. */
    public String insidePort() {
        return name + "-in";
    }

    /** Port on the backbone side. */
    public String outsidePort() {
        return name + "-out";
    }
}
