// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.flow;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.net.Alg;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.registry.Table;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** One action of an apply-actions list, as in ovs-actions(7). */
public sealed interface Action {
    /** Gives an IPv4 address field a prefix and leaves the bits behind it as they are. */
    static Action replace(final MatchField field, final Prefix prefix) {
        return prefix.isHost() ? new SetField(field, prefix.address())
            : new Load(new FieldRange(field, 31, 32 - prefix.length()),
                prefix.address().number() >> 32 - prefix.length());
    }

    /** Sends the frame out of an OpenFlow port, 1..0xfeff. Nothing leaves when that is the port it came from. */
    record Output(int port) implements Action { }

    /** Sends the frame out of the port it came from. */
    record OutputInPort() implements Action { }

    /** Sends up to {@code maxLength} bytes of the frame to the controller. */
    record Controller(int maxLength) implements Action { }

    /** Pushes an 802.1Q tag, which a {@link SetField} of the VLAN id then fills. */
    record PushVlan() implements Action { }

    /** Removes the outermost 802.1Q tag. */
    record PopVlan() implements Action { }

    /** Pushes an MPLS label (ethertype 0x8847); what stands behind it is of no packet until it is popped. */
    record PushMpls() implements Action { }

    /**
     * Removes the outermost MPLS label.
     *
     * @param etherType what stands behind it
     */
    record PopMpls(int etherType) implements Action { }

    /** Puts a network service header of metadata type 1 around an Ethernet frame (RFC 8300). */
    record EncapNsh() implements Action { }

    /** Puts an Ethernet header before a packet that has none. */
    record EncapEthernet() implements Action { }

    /** Takes the outermost header off. Behind it no field is set: the switch does not know yet what the packet is. */
    record Decap() implements Action { }

    /** Decrements the IPv4 TTL or the IPv6 hop limit; a packet with 1 or 0 goes no further. */
    record DecTtl() implements Action { }

    /**
     * Sets a whole packet field (OpenFlow set_field).
     *
     * @param valueHigh what the value has beyond 64 bits
     * @param value its low 64 bits
     */
    record SetField(MatchField field, long valueHigh, long value) implements Action {
        public SetField {
            FieldMatch.of(field, new Ipv6(valueHigh, value));
        }

        /** Of at most 64 bits. */
        public SetField(final MatchField field, final long value) {
            this(field, 0, value);
        }

        /** Of 128 bits. */
        public SetField(final MatchField field, final Ipv6 value) {
            this(field, value.high(), value.low());
        }

        /** Of an IPv4 address. */
        public SetField(final MatchField field, final Ipv4 value) {
            this(field, value.number());
        }

        /** Of a MAC address. */
        public SetField(final MatchField field, final Mac value) {
            this(field, value.number());
        }
    }

    /** Sets at most 64 bits of a register or another field (Nicira reg_load). */
    record Load(FieldRange target, long value) implements Action {
        public Load {
            target.place(value);
            if (target.bits() > Long.SIZE) {
                throw new IllegalArgumentException(target + " is too wide for one load");
            }
        }
    }

    /** Copies bits from one field to another (Nicira reg_move). */
    record Move(FieldRange source, FieldRange target) implements Action {
        public Move {
            if (source.bits() != target.bits()) {
                throw new IllegalArgumentException(source + " and " + target + " differ in width");
            }
        }
    }

    /**
     * This flow is a clause of a conjunction: a packet that meets a flow of each clause, all of the same priority,
     * meets the flow on {@link MatchField#CONJ_ID} of that priority. A flow has no actions beside such ones.
     *
     * @param id the number that flow matches, 1..2^32-1, one of its own in a table
     * @param clause 1..{@code of}
     * @param of number of clauses, 2..64
     */
    record Conjunction(long id, int clause, int of) implements Action {
        public Conjunction {
            if (id < 1 || id > 0xffffffffL || of < 2 || of > 64 || clause < 1 || clause > of) {
                throw new IllegalArgumentException("conjunction %d, clause %d of %d".formatted(id, clause, of));
            }
        }
    }

    /**
     * Asks whether the frame is too long (Nicira check_pkt_larger).
     *
     * @param bytes longest one that is not, with its Ethernet header and the tag it has at that point, 0..65535
     * @param result one bit, which becomes 1 when it is longer and 0 when it is not
     */
    record CheckPktLarger(int bytes, FieldRange result) implements Action {
        public CheckPktLarger {
            if (bytes < 0 || bytes > 0xffff || result.bits() != 1) {
                throw new IllegalArgumentException("more than " + bytes + " bytes into " + result);
            }
        }
    }

    /** Looks a further table up and comes back (Nicira resubmit_table). */
    record Resubmit(Table table) implements Action {
        public Resubmit {
            requireNonNull(table);
        }
    }

    /**
     * Does the actions to a copy of the packet (Nicira clone); what they change, and a meter that drops the copy, does
     * not touch the packet itself.
     */
    record Clone(List<Action> actions) implements Action {
        public Clone {
            actions = List.copyOf(actions);
        }
    }

    /**
     * Drops packets beyond a meter's rate. OpenFlow 1.3 has it as an instruction: it comes first in a flow.
     */
    record Meter(int id) implements Action { }

    /**
     * Sends some packets, at random, to the collectors of a set, as IPFIX (RFC 7011).
     *
     * @param probability how many of 65536 packets, 1..65535
     * @param collectorSet id of a Flow_Sample_Collector_Set, from 1
     * @param observationPoint the observation point that the collector is told
     */
    record Sample(int probability, int collectorSet, int observationPoint) implements Action {
        /** {@link #probability} is a share of this. */
        public static final int ALL = 65536;

        public Sample {
            if (probability < 1 || probability >= ALL || collectorSet < 1) {
                throw new IllegalArgumentException("%d of %d to %d".formatted(probability, ALL, collectorSet));
            }
        }
    }

    /**
     * Passes the packet through connection tracking; it goes on in {@code table}. What follows in the list acts on
     * the packet as it was before.
     *
     * @param zone where the number of the conntrack zone is, 16 bits
     * @param mark bits of ct_mark that the connection gets; the others stay
     * @param alg what looks into the packets for addresses; every packet of such a connection has to meet it
     */
    record ConnTrack(boolean commit, FieldRange zone, Table table, Optional<Nat> nat, Optional<Load> mark,
        Optional<Alg> alg) implements Action {
        public ConnTrack {
            requireNonNull(alg);
            requireNonNull(zone);
            requireNonNull(table);
            requireNonNull(nat);
            requireNonNull(mark);
            if (mark.isPresent() && (!commit || mark.orElseThrow().target().field() != MatchField.CT_MARK)) {
                throw new IllegalArgumentException("only ct_mark is written, and only with commit");
            }
        }

        /** Without an application level gateway. */
        public ConnTrack(final boolean commit, final FieldRange zone, final Table table, final Optional<Nat> nat,
                final Optional<Load> mark) {
            this(commit, zone, table, nat, mark, Optional.empty());
        }
    }

    /**
     * Has the connection of the packet, which begins with it if it is not known yet, keep bits; the packet goes on as
     * it is (Nicira ct with commit and without a table).
     *
     * @param zone where the number of the conntrack zone is, 16 bits
     * @param label what is copied to where in {@link MatchField#CT_LABEL}
     */
    record KeepLabel(FieldRange zone, Move label) implements Action {
        public KeepLabel {
            requireNonNull(zone);
            if (label.target().field() != MatchField.CT_LABEL) {
                throw new IllegalArgumentException(label.target() + " is not kept");
            }
        }
    }

    /**
     * Has the packet forget the connection it was found to be of (Nicira ct_clear). Without it a packet that is tracked
     * in the same zone once more, with other addresses, counts as one of that connection.
     */
    record ClearConnTrack() implements Action { }

    /** The NAT part of {@link ConnTrack}. */
    sealed interface Nat {
        /** Applies the translation the connection already has. */
        record Existing() implements Nat { }

        /**
         * Gives a new connection this IPv4 source address.
         *
         * @param ports what a TCP or UDP source port may become; any when absent
         */
        record Source(Ipv4 address, Optional<Ports> ports) implements Nat {
            /** With any port. */
            public Source(final Ipv4 address) {
                this(address, Optional.empty());
            }
        }

        /** Ports from {@code low} to {@code high}, both included, 1..65535. */
        record Ports(int low, int high) {
            public Ports {
                if (low < 1 || high < low || high > 65535) {
                    throw new IllegalArgumentException("ports " + low + " to " + high);
                }
            }
        }

        /**
         * Gives a new connection this IPv4 destination address.
         *
         * @param port destination port, 1..65535; the one it has when absent
         */
        record Destination(Ipv4 address, OptionalInt port) implements Nat {
            public Destination {
                if (port.isPresent() && (port.getAsInt() < 1 || port.getAsInt() > 65535)) {
                    throw new IllegalArgumentException("port " + port.getAsInt());
                }
            }
        }
    }

    /**
     * Adds a flow made from the packet to a table (Nicira learn).
     *
     * @param idleTimeout seconds without a packet after which the flow goes, 0 for none
     * @param hardTimeout seconds after which it goes, 0 for none
     * @param limit beyond which nothing is added
     */
    record Learn(Table table, int priority, int idleTimeout, int hardTimeout, Optional<LearnLimit> limit, long cookie,
        List<LearnSpec> specs) implements Action {
        public Learn {
            requireNonNull(table);
            requireNonNull(limit);
            specs = List.copyOf(specs);
        }
    }

    /**
     * Most flows with the cookie of a {@link Learn} in its table.
     *
     * @param result one bit, which becomes 1 when the flow is there, 0 when the limit kept it out
     */
    record LearnLimit(int flows, FieldRange result) {
        public LearnLimit {
            if (flows < 1 || result.bits() != 1) {
                throw new IllegalArgumentException("limit " + flows + ", result " + result);
            }
        }
    }

    /** One part of a learned flow. */
    sealed interface LearnSpec {
        /** The flow matches {@code target} on what {@code source} holds in this packet. */
        record MatchCopy(FieldRange source, FieldRange target) implements LearnSpec { }

        /** The flow matches {@code target} on a constant of at most 16 bits. */
        record MatchValue(int value, FieldRange target) implements LearnSpec { }

        /** The flow loads into {@code target} what {@code source} holds in this packet. */
        record LoadCopy(FieldRange source, FieldRange target) implements LearnSpec { }

        /** The flow loads a constant of at most 16 bits into {@code target}. */
        record LoadValue(int value, FieldRange target) implements LearnSpec { }
    }
}
