// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FieldRange;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.FlowText;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.flow.MeterSpec;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.ErrorKind;
import io.penstock.pipeline.registry.Meter;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.TenantMeter;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.pipeline.stage.KeptInstances;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.ToIntFunction;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Flows in the words of the registry, for reviewers: registers and what a connection keeps by name, ids by whom they
 * stand for. It replaces words in the text of {@link FlowText}, so a switch gets nothing from here. Two flows of a
 * plan never have the same words. A number that has no name stays a number.
 */
final class FlowWords {
    private static final String HEX = "0x(\\p{XDigit}+)";
    private static final String RANGE = "(\\w+XM_\\w+)\\[(\\d*)(?:\\.\\.(\\d+))?]";
    private static final Pattern COOKIE = Pattern.compile("\\bcookie=" + HEX);
    private static final Pattern MATCH = Pattern.compile("\\b(reg\\d+|ct_mark)=" + HEX + "(?:/" + HEX + ")?");
    private static final Pattern LOAD = Pattern.compile("\\bload:" + HEX + "->" + RANGE);
    private static final Pattern LEARNED = Pattern.compile(RANGE + "=" + HEX);
    private static final Pattern COPIED = Pattern.compile(RANGE);
    private static final Pattern PORT = Pattern.compile("\\b(in_port=|output:)(\\d+)");
    private static final Pattern METER = Pattern.compile("\\bmeter:(\\d+)");
    private static final Pattern OBSERVED = Pattern.compile("\\bobs_point_id=(\\d+)");
    private static final Pattern TAG = Pattern.compile("\\bset_field:(\\d+)->vlan_vid");
    private static final Map<String, MatchField> BY_TEXT = fields(MatchField::text);
    private static final Map<String, MatchField> BY_NXM = fields(MatchField::nxm);
    /** OpenFlow 1.3 keeps "a tag is present" in the bit above. */
    private static final long TAGS = MatchField.VLAN_VID.fullMask();
    /** One name for a field, wherever it stands; and addresses. */
    private static final Map<String, String> WORDS = Map.of("vlan_tci=0x0000/0x1000", "dl_vlan=none",
        "->eth_", "->dl_", "->ip_", "->nw_", Constants.GATEWAY_MAC.toString(), "GATEWAY_MAC",
        Constants.RESOLVER_MAC.toString(), "RESOLVER_MAC", Constants.CHAIN_INSIDE_MAC.toString(), "CHAIN_INSIDE_MAC",
        Constants.CHAIN_OUTSIDE_MAC.toString(), "CHAIN_OUTSIDE_MAC",
        Constants.backboneMac(1).toString(), "BACKBONE_MAC");

    private final Map<Integer, String> ports;
    private final Map<Integer, String> vrfs;
    private final List<Bits> names;

    /**
     * Words for the flows of one plan.
     *
     * @param ports names of the ports by OpenFlow number
     * @param vrfs names of the tenants by VRF id
     */
    FlowWords(final Map<Integer, String> ports, final Map<Integer, String> vrfs) {
        this.ports = Map.copyOf(ports);
        this.vrfs = Map.copyOf(vrfs);
        names = Stream.of(
            Arrays.stream(Register.values()).map(each -> new Bits(each.name(), each.range(), value(each))),
            Stream.of(mark("TRANSLATED", Constants.TRANSLATED_MARK), mark("FORWARD_UDP", Constants.FORWARD_UDP_MARK),
                new Bits("FORWARD_PORT", new FieldRange(MatchField.CT_MARK, MatchField.CT_MARK.bits() - 1,
                    Constants.FORWARD_PORT_SHIFT), Long::toString)),
            IntStream.range(0, Constants.MOST_KEEPING)
                .mapToObj(place -> new Bits("KEPT_" + place, KeptInstances.label(place), this::port)))
            .flatMap(each -> each).sorted(Comparator.comparing(each -> each.range().low())).toList();
    }

    /** A name for bits of a field, and words for their values. */
    private record Bits(String name, FieldRange range, LongFunction<String> words) {
        long value(final long field) {
            return (field & range.mask()) >>> range.low();
        }
    }

    private static Bits mark(final String name, final int value) {
        final int bit = Integer.numberOfTrailingZeros(value);
        return new Bits(name, new FieldRange(MatchField.CT_MARK, bit, bit), Long::toString);
    }

    private static Map<String, MatchField> fields(final Function<MatchField, String> name) {
        return Arrays.stream(MatchField.values()).collect(Collectors.toMap(name, field -> field));
    }

    /** One line without a line end. */
    String of(final FlowSpec flow) {
        return of(FlowText.NAMES.render(flow));
    }

    /** What a flow matches. */
    String of(final List<FieldMatch> matches) {
        return of(matches.stream().map(FlowText::match).collect(Collectors.joining(",")));
    }

    private String of(final String flow) {
        String text = replace(flow, COOKIE, found -> "cookie=" + cookie(hex(found, 1)));
        text = replace(text, MATCH, this::match);
        text = replace(text, LOAD, found -> "load:" + value(range(found, 2), hex(found, 1)) + "->"
            + name(range(found, 2)));
        text = replace(text, LEARNED, found -> name(range(found, 1)) + "=" + value(range(found, 1), hex(found, 4)));
        text = replace(text, COPIED, found -> name(range(found, 1)));
        text = replace(text, PORT, found -> found.group(1) + port(Long.parseLong(found.group(2))));
        text = replace(text, METER, found -> "meter:" + meter(Integer.parseInt(found.group(1))));
        text = replace(text, OBSERVED, found -> "obs_point_id=" + vrf(Long.parseLong(found.group(1))));
        text = replace(text, TAG, found -> "set_field:" + (Integer.parseInt(found.group(1)) & TAGS) + "->dl_vlan");
        for (final Map.Entry<String, String> word : WORDS.entrySet()) {
            text = text.replace(word.getKey(), word.getValue());
        }
        return text;
    }

    /** One line without a line end. */
    String of(final MeterSpec meter) {
        return "meter=%s %s rate=%d burst=%d".formatted(meter(meter.id()),
            meter.unit().name().toLowerCase(Locale.ROOT), meter.rate(), meter.burst());
    }

    private static String replace(final String text, final Pattern pattern, final Function<MatchResult, String> words) {
        return pattern.matcher(text).replaceAll(words);
    }

    private static long hex(final MatchResult found, final int group) {
        return Long.parseUnsignedLong(found.group(group), 16);
    }

    /** The reverse of {@link FieldRange#toString}, in three groups. */
    private static FieldRange range(final MatchResult found, final int group) {
        final MatchField field = BY_NXM.get(found.group(group));
        if (found.group(group + 1).isEmpty()) {
            return field.range();
        }
        final int low = Integer.parseInt(found.group(group + 1));
        final String high = found.group(group + 2);
        return new FieldRange(field, high == null ? low : Integer.parseInt(high), low);
    }

    /** A match on the bits of a field, by the names that these have. */
    private String match(final MatchResult found) {
        final MatchField field = BY_TEXT.get(found.group(1));
        final long value = hex(found, 2);
        if (found.group(3) == null) {
            return name(field.range()) + "=" + value(field.range(), value);
        }
        final long mask = hex(found, 3);
        long left = mask;
        final List<String> parts = new ArrayList<>();
        for (final Bits bits : in(field.range())) {
            final long part = bits.value(mask);
            left &= ~bits.range().mask();
            if (part == bits.value(-1)) {
                parts.add(bits.name() + "=" + bits.words().apply(bits.value(value)));
            } else if (part != 0) {
                parts.add("%s=0x%x/0x%x".formatted(bits.name(), bits.value(value), part));
            }
        }
        if (left != 0) {
            parts.add("%s=0x%x/0x%x".formatted(field.text(), value & left, left));
        }
        return String.join(",", parts);
    }

    /** What has a name and is in a range, at least in part. */
    private List<Bits> in(final FieldRange range) {
        return names.stream().filter(each -> each.range().field() == range.field()
            && each.range().low() <= range.high() && each.range().high() >= range.low()).toList();
    }

    private String name(final FieldRange range) {
        final List<String> parts = new ArrayList<>();
        int next = range.low();
        for (final Bits bits : in(range)) {
            final FieldRange all = bits.range();
            if (next < all.low()) {
                break;
            }
            final int high = Math.min(range.high(), all.high());
            parts.add(next == all.low() && high == all.high() ? bits.name()
                : "%s[%d..%d]".formatted(bits.name(), next - all.low(), high - all.low()));
            next = high + 1;
        }
        if (next > range.high()) {
            return String.join("+", parts);
        }
        return range.field().text() + (range.isWhole() ? "" : "[%d..%d]".formatted(range.low(), range.high()));
    }

    /** A value of a range; if that has several names, those that are not 0. */
    private String value(final FieldRange range, final long value) {
        final List<Bits> inside = in(range);
        if (inside.size() == 1 && inside.get(0).range().equals(range)) {
            return inside.get(0).words().apply(value);
        }
        final long field = value << range.low();
        final long named = inside.stream().mapToLong(each -> each.range().mask()).reduce(0, (one, two) -> one | two);
        if (inside.size() < 2 || (field & ~named) != 0) {
            return "0x%x".formatted(value);
        }
        return inside.stream().filter(each -> each.value(field) != 0)
            .map(each -> each.name() + "=" + each.words().apply(each.value(field)))
            .collect(Collectors.joining(",", "{", "}"));
    }

    private LongFunction<String> value(final Register register) {
        return switch (register) {
            case VRF, SENDER -> this::vrf;
            case FUNCTION, INSTANCE -> this::port;
            case IN_ATTACHMENT, OUT_ATTACHMENT -> this::attachment;
            case NEXT_HOP, MAP_ADDRESS, MAP_INSIDE_ADDRESS -> address -> new Ipv4(address).toString();
            case ZONE -> this::zone;
            case AFTER -> table -> Table.ofNumber((int) table).map(Table::text).orElse(Long.toString(table));
            case ERROR_KIND -> kind -> ErrorKind.ofNumber(kind).map(Enum::name).orElse(Long.toString(kind));
            default -> Long::toString;
        };
    }

    private String vrf(final long id) {
        return id == VrfId.BACKBONE.number() ? "backbone" : vrfs.getOrDefault((int) id, Long.toString(id));
    }

    private String port(final long number) {
        return ports.getOrDefault((int) number, Long.toString(number));
    }

    private String attachment(final long place) {
        final int vlan = (int) (place & MatchField.VLAN_VID.fullMask());
        return port(place >>> MatchField.VLAN_VID.bits()) + (vlan == 0 ? "" : "/" + vlan);
    }

    private String zone(final long zone) {
        return Stream.of(zone(zone, "translations", VrfId::natZone), zone(zone, "lists", VrfId::aclZone),
            zone(zone, "chains", VrfId::chainZone)).flatMap(Optional::stream).findFirst().orElse(Long.toString(zone));
    }

    private Optional<String> zone(final long zone, final String kind, final ToIntFunction<VrfId> ofVrf) {
        return vrfs.keySet().stream().map(VrfId::new).filter(vrf -> !kind.equals("chains") || vrf.isTag())
            .filter(vrf -> ofVrf.applyAsInt(vrf) == zone).findFirst().map(vrf -> kind + ":" + vrf(vrf.number()));
    }

    private String cookie(final long cookie) {
        final int owner = Cookie.ownerId(cookie);
        return Arrays.stream(Cookie.Kind.values()).filter(kind -> Cookie.is(cookie, kind)).findFirst()
            .map(kind -> kind.name().toLowerCase(Locale.ROOT) + (owner == 0 ? "" : ":" + vrf(owner)))
            .orElseGet(() -> "0x%x".formatted(cookie));
    }

    /** The name of a meter by its OpenFlow id. */
    String meter(final int id) {
        final Stream<String> ofTenant = TenantMeter.of(id).stream()
            .map(each -> each.name() + ":" + vrf(TenantMeter.vrfOf(id).orElseThrow().number()));
        final Stream<String> ofSwitch = Arrays.stream(Meter.values()).filter(each -> each.number() == id)
            .map(Meter::name);
        return Stream.concat(ofTenant, ofSwitch).findFirst().orElse(Integer.toString(id));
    }
}
