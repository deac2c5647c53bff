// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PacketTest {
    @Test
    void theAddressesSayTheFamily() {
        assertThat(Packet.in("acc0").tcp("10.0.0.5", "198.18.0.10", 80))
            .hasToString("in_port=acc0,vlan_tci=0x0000,tcp,tcp_src=40000,tcp_dst=80,nw_src=10.0.0.5,"
                + "nw_dst=198.18.0.10,nw_ttl=64");
        assertThat(Packet.in("acc0", 7).udp("2001:db8::5", "2001:db8:9::1", 53).ttl(1))
            .hasToString("in_port=acc0,dl_vlan=7,udp6,udp_src=40000,udp_dst=53,ipv6_src=2001:db8::5,"
                + "ipv6_dst=2001:db8:9::1,nw_ttl=1");
    }

    @Test
    void aSolicitationGoesToTheGroupOfItsTarget() {
        assertThat(Packet.in("acc0").solicitation("2001:db8::5", "2001:db8::7:8009:a"))
            .hasToString("in_port=acc0,vlan_tci=0x0000,dl_src=02:00:00:00:00:05,dl_dst=33:33:ff:09:00:0a,icmp6,"
                + "icmpv6_type=135,icmpv6_code=0,nd_target=2001:db8::7:8009:a,nd_sll=02:00:00:00:00:05,"
                + "nd_options_type=1,ipv6_src=2001:db8::5,ipv6_dst=ff02::1:ff09:a,nw_ttl=255");
    }
}
