// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

/** What a port of the bridge is made of. */
public enum OvsPortType {
    /** A network device of the node's kernel, such as one end of a veth pair. */
    SYSTEM(""),
    /** A device driven by DPDK; its address goes into the option {@code dpdk-devargs}. */
    DPDK("dpdk"),
    /** A vhost-user port whose socket belongs to the function; its path goes into {@code vhost-server-path}. */
    VHOST_USER_CLIENT("dpdkvhostuserclient");

    private final String interfaceType;

    OvsPortType(final String interfaceType) {
        this.interfaceType = interfaceType;
    }

    /** The value of column {@code type} in table {@code Interface}. */
    String interfaceType() {
        return interfaceType;
    }
}
