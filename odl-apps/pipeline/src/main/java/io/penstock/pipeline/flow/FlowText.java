// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.flow;

import io.penstock.pipeline.flow.Action.LearnSpec;
import io.penstock.pipeline.flow.Action.Nat;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.registry.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Writes flows the way ovs-ofctl(8) reads them. {@link #NAMES} is for people, {@link #NUMBERS} for a
 * switch that was not told the table names.
 */
public enum FlowText {
    NAMES(Table::text),
    NUMBERS(table -> Integer.toString(table.number()));

    private static final String[] CT_BITS = {"new", "est", "rel", "rpl", "inv", "trk", "snat", "dnat"};

    private final Function<Table, String> tableText;

    FlowText(final Function<Table, String> tableText) {
        this.tableText = tableText;
    }

    /** One line without a line end. */
    public String render(final FlowSpec flow) {
        final List<String> head = new ArrayList<>();
        head.add("table=" + tableText.apply(flow.table()));
        head.add("priority=" + flow.priority());
        head.add("cookie=0x%x".formatted(flow.cookie()));
        if (flow.idleTimeout() != 0) {
            head.add("idle_timeout=" + flow.idleTimeout());
        }
        flow.matches().forEach(match -> head.add(match(match)));
        return String.join(",", head) + " actions=" + actions(flow);
    }

    /** What a switch knows a flow by, as one line. */
    public String key(final FlowSpec.Key key) {
        return Stream.concat(Stream.of("table=" + tableText.apply(key.table()), "priority=" + key.priority()),
            key.matches().stream().map(FlowText::match)).collect(Collectors.joining(","));
    }

    private String actions(final FlowSpec flow) {
        if (flow.actions().isEmpty() && flow.next().isEmpty()) {
            return "drop";
        }
        return Stream.concat(flow.actions().stream().map(this::action),
            flow.next().stream().map(table -> "goto_table:" + tableText.apply(table))).collect(Collectors.joining(","));
    }

    /** Actions, with commas between them. */
    public String actions(final List<Action> actions) {
        return actions.stream().map(this::action).collect(Collectors.joining(","));
    }

    /** One match, as {@code name=value} or {@code name=value/mask}. */
    public static String match(final FieldMatch match) {
        final MatchField field = match.field();
        if (field == MatchField.VLAN_VID && match.value() == MatchField.UNTAGGED) {
            return "vlan_tci=0x0000/0x1000";
        }
        if (field.format() == MatchField.Format.CT_STATE) {
            return field.text() + "=" + ctState(match);
        }
        if (field.format() == MatchField.Format.FRAGMENT) {
            return field.text() + "=" + fragment(match);
        }
        final String text = field.text() + "=" + value(field, match.valueHigh(), match.value());
        if (match.isExact()) {
            return text;
        }
        if (field.format() == MatchField.Format.IPV4) {
            return text + "/" + Long.bitCount(match.mask());
        }
        return text + "/" + mask(field, match.maskHigh(), match.mask());
    }

    private static String fragment(final FieldMatch match) {
        return Arrays.stream(Fragment.values()).filter(each -> each.match().equals(match))
            .map(each -> each.name().toLowerCase(Locale.ROOT)).findFirst()
            .orElseGet(() -> value(match.field(), 0, match.value()) + "/" + mask(match.field(), 0, match.mask()));
    }

    private static String ctState(final FieldMatch match) {
        final StringBuilder text = new StringBuilder();
        for (int bit = 0; bit < CT_BITS.length; bit++) {
            if ((match.mask() >> bit & 1) != 0) {
                text.append((match.value() >> bit & 1) != 0 ? '+' : '-').append(CT_BITS[bit]);
            }
        }
        return text.toString();
    }

    private String action(final Action action) {
        if (action instanceof Action.Output output) {
            return "output:" + output.port();
        } else if (action instanceof Action.OutputInPort) {
            return "IN_PORT";
        } else if (action instanceof Action.Controller controller) {
            return "CONTROLLER:" + controller.maxLength();
        } else if (action instanceof Action.PushVlan) {
            return "push_vlan:0x8100";
        } else if (action instanceof Action.PopVlan) {
            return "pop_vlan";
        } else if (action instanceof Action.PushMpls) {
            return "push_mpls:0x8847";
        } else if (action instanceof Action.PopMpls pop) {
            return "pop_mpls:0x%04x".formatted(pop.etherType());
        } else if (action instanceof Action.DecTtl) {
            return "dec_ttl";
        } else if (action instanceof Action.EncapNsh) {
            return "encap(nsh(md_type=1))";
        } else if (action instanceof Action.EncapEthernet) {
            return "encap(ethernet)";
        } else if (action instanceof Action.Decap) {
            return "decap()";
        } else if (action instanceof Action.CheckPktLarger check) {
            return "check_pkt_larger(" + check.bytes() + ")->" + check.result();
        } else if (action instanceof Action.SetField set) {
            return "set_field:" + setFieldValue(set) + "->" + setFieldName(set.field());
        } else if (action instanceof Action.Load load) {
            return "load:0x%x->%s".formatted(load.value(), load.target());
        } else if (action instanceof Action.Move move) {
            return "move:" + move.source() + "->" + move.target();
        }
        return control(action);
    }

    /** Of the actions that change which flows the packet meets, or whether. */
    private String control(final Action action) {
        if (action instanceof Action.Resubmit resubmit) {
            return "resubmit(," + tableText.apply(resubmit.table()) + ")";
        } else if (action instanceof Action.Meter meter) {
            return "meter:" + meter.id();
        } else if (action instanceof Action.Sample sample) {
            return "sample(probability=%d,collector_set_id=%d,obs_domain_id=0,obs_point_id=%d)".formatted(
                sample.probability(), sample.collectorSet(), sample.observationPoint());
        } else if (action instanceof Action.Clone copy) {
            return copy.actions().stream().map(this::action).collect(Collectors.joining(",", "clone(", ")"));
        } else if (action instanceof Action.ConnTrack ct) {
            return connTrack(ct);
        } else if (action instanceof Action.KeepLabel keep) {
            return "ct(commit,zone=" + keep.zone() + ",exec(" + action(keep.label()) + "))";
        } else if (action instanceof Action.ClearConnTrack) {
            return "ct_clear";
        } else if (action instanceof Action.Learn learn) {
            return learn(learn);
        } else if (action instanceof Action.Conjunction part) {
            return "conjunction(%d,%d/%d)".formatted(part.id(), part.clause(), part.of());
        }
        throw new IllegalStateException("no text for " + action.getClass());
    }

    private String connTrack(final Action.ConnTrack ct) {
        final List<String> parts = new ArrayList<>();
        if (ct.commit()) {
            parts.add("commit");
        }
        parts.add("table=" + tableText.apply(ct.table()));
        parts.add("zone=" + ct.zone());
        ct.nat().ifPresent(nat -> parts.add(nat(nat)));
        ct.alg().ifPresent(alg -> parts.add("alg=" + alg.name().toLowerCase(Locale.ROOT)));
        ct.mark().ifPresent(mark -> parts.add("exec(" + action(mark) + ")"));
        return "ct(" + String.join(",", parts) + ")";
    }

    private static String nat(final Nat nat) {
        if (nat instanceof Nat.Source source) {
            return "nat(src=" + source.address()
                + source.ports().map(ports -> ":" + ports.low() + "-" + ports.high()).orElse("") + ")";
        } else if (nat instanceof Nat.Destination destination) {
            return "nat(dst=" + destination.address()
                + (destination.port().isPresent() ? ":" + destination.port().getAsInt() : "") + ")";
        }
        return "nat";
    }

    private String learn(final Action.Learn learn) {
        final List<String> parts = new ArrayList<>();
        parts.add("table=" + tableText.apply(learn.table()));
        parts.add("idle_timeout=" + learn.idleTimeout());
        if (learn.hardTimeout() != 0) {
            parts.add("hard_timeout=" + learn.hardTimeout());
        }
        learn.limit().ifPresent(limit -> {
            parts.add("limit=" + limit.flows());
            parts.add("result_dst=" + limit.result());
        });
        parts.add("priority=" + learn.priority());
        parts.add("cookie=0x%x".formatted(learn.cookie()));
        learn.specs().forEach(spec -> parts.add(learnSpec(spec)));
        return "learn(" + String.join(",", parts) + ")";
    }

    private static String learnSpec(final LearnSpec spec) {
        if (spec instanceof LearnSpec.MatchCopy copy) {
            return copy.source().equals(copy.target())
                ? copy.target().toString() : copy.target() + "=" + copy.source();
        } else if (spec instanceof LearnSpec.MatchValue value) {
            return value.target() + "=0x%x".formatted(value.value());
        } else if (spec instanceof LearnSpec.LoadCopy copy) {
            return "load:" + copy.source() + "->" + copy.target();
        } else if (spec instanceof LearnSpec.LoadValue value) {
            return "load:0x%x->%s".formatted(value.value(), value.target());
        }
        throw new IllegalStateException("no text for " + spec.getClass());
    }

    private static String setFieldName(final MatchField field) {
        return switch (field) {
            case VLAN_VID -> "vlan_vid";
            case ETH_SRC -> "eth_src";
            case ETH_DST -> "eth_dst";
            case IP_SRC -> "ip_src";
            case IP_DST -> "ip_dst";
            default -> field.text();
        };
    }

    private static String setFieldValue(final Action.SetField set) {
        // OpenFlow 1.3 keeps "a tag is present" in bit 12 of vlan_vid.
        return set.field() == MatchField.VLAN_VID
            ? Long.toString(set.value() | 0x1000) : value(set.field(), set.valueHigh(), set.value());
    }

    private static String value(final MatchField field, final long high, final long value) {
        return switch (field.format()) {
            case DECIMAL -> Long.toString(value);
            case MAC -> new Mac(value).toString();
            case IPV4 -> new Ipv4(value).toString();
            case IPV6 -> new Ipv6(high, value).toString();
            default -> hex(high, value);
        };
    }

    private static String mask(final MatchField field, final long high, final long mask) {
        return switch (field.format()) {
            case MAC -> new Mac(mask).toString();
            case IPV6 -> ipv6Mask(new Ipv6(high, mask));
            default -> hex(high, mask);
        };
    }

    private static String ipv6Mask(final Ipv6 mask) {
        final int length = Long.bitCount(mask.high()) + Long.bitCount(mask.low());
        return mask.equals(Ipv6.mask(length)) ? Integer.toString(length) : mask.toString();
    }

    private static String hex(final long high, final long low) {
        return high == 0 ? "0x%x".formatted(low) : "0x%x%016x".formatted(high, low);
    }
}
