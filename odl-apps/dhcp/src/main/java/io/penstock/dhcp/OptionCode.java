// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

/** Numbers of options, as IANA has registered them; of RFC 2132 unless another is named. */
public final class OptionCode {
    public static final int PAD = 0;
    public static final int SUBNET_MASK = 1;
    public static final int ROUTERS = 3;
    public static final int DNS_SERVERS = 6;
    public static final int HOST_NAME = 12;
    public static final int DOMAIN = 15;
    public static final int MTU = 26;
    public static final int NTP_SERVERS = 42;
    public static final int REQUESTED_ADDRESS = 50;
    public static final int LEASE_TIME = 51;
    public static final int OVERLOAD = 52;
    public static final int MESSAGE_TYPE = 53;
    public static final int SERVER = 54;
    public static final int PARAMETER_LIST = 55;
    public static final int MESSAGE = 56;
    public static final int LARGEST_MESSAGE = 57;
    public static final int RENEWAL_TIME = 58;
    public static final int REBINDING_TIME = 59;
    public static final int CLIENT_IDENTIFIER = 61;
    public static final int TFTP_SERVER = 66;
    public static final int BOOT_FILE = 67;
    /** Relay agent information (RFC 3046). */
    public static final int RELAY_AGENT = 82;
    /** Subnet selection (RFC 3011). */
    public static final int SUBNET_SELECTION = 118;
    /** Domain search (RFC 3397). */
    public static final int DOMAIN_SEARCH = 119;
    /** Classless static routes (RFC 3442). */
    public static final int CLASSLESS_ROUTES = 121;
    public static final int END = 255;

    private OptionCode() {
        // Only numbers.
    }
}
