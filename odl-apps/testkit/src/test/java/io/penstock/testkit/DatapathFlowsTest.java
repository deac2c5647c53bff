// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DatapathFlowsTest {
    private static final String DATAGRAM = """
        ufid:1c2f, skb_priority(0/0),ct_state(0/0),recirc_id(0),in_port(acc0),eth(src=02:00:00:00:00:05,\
        dst=02:50:53:00:00:01/00:00:00:00:00:00),eth_type(0x8100),vlan(vid=100,pcp=0),encap(eth_type(0x0800),\
        ipv4(src=10.0.0.5/255.255.255.0,dst=198.18.0.10/0.0.0.0,proto=17,frag=no),udp(src=40000/0xe000,dst=5000/0)), \
        packets:1, bytes:46, used:0.1s, dp:ovs, actions:pop_vlan,ct(zone=2),recirc(0x1)
        """;
    private static final String TRACKED = """
        recirc_id(0x1),in_port(up0),ct_state(+trk-inv),eth_type(0x0800), packets:0, bytes:0, used:never, actions:drop
        """;

    @Test
    void aMaskIsWhatIsLookedAtAndNotWhatIsSeen() {
        assertThat(DatapathFlows.parse(DATAGRAM).masks()).containsExactly("encap.eth_type encap.ipv4.frag "
            + "encap.ipv4.proto encap.ipv4.src/255.255.255.0 encap.ports.src/0xe000 eth.src eth_type in_port=acc0 "
            + "recirc_id vlan.pcp vlan.vid");
        assertThat(DatapathFlows.parse(TRACKED).masks())
            .containsExactly("ct_state/+trk+inv eth_type in_port=up0 recirc_id");
    }

    @Test
    void masksOfIpv6AreUnderstood() {
        assertThat(DatapathFlows.parse("""
            ufid:ab, skb_priority(0/0),recirc_id(0),in_port(p1),eth(src=02:00:00:00:00:01/00:00:00:00:00:00,\
            dst=02:50:53:00:00:01),eth_type(0x86dd),ipv6(src=2001:db8:1::10/::,\
            dst=2001:db8:2::10/ffff:ffff:ffff:ffff::,label=0xb2166/0,proto=17,tclass=0/0,hlimit=64/0,frag=no),\
            udp(src=49583/0,dst=5000/0), packets:0, bytes:0, used:never, dp:ovs, actions:p2
            """).masks()).containsExactly("eth.dst eth_type in_port=p1 ipv6.dst/ffff:ffff:ffff:ffff:: ipv6.frag "
            + "ipv6.proto recirc_id");
    }

    @Test
    void flowsThatLookAtTheSamePlacesShareAMask() {
        final DatapathFlows flows = DatapathFlows.parse(DATAGRAM + DATAGRAM.replace("vid=100", "vid=101")
            + DATAGRAM.replace("udp(", "tcp(").replace("proto=17", "proto=6") + TRACKED
            + TRACKED.replace("+trk-inv", "+trk+inv"));
        assertThat(flows.count()).isEqualTo(5);
        assertThat(flows.masks()).hasSize(2);
    }

    @Test
    void eachPortHasItsOwnMasks() {
        assertThat(DatapathFlows.parse(TRACKED + TRACKED.replace("up0", "acc0")).masks()).hasSize(2);
    }
}
