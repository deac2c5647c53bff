// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.rest;

import io.penstock.operations.DhcpCount;
import io.penstock.operations.DroppedPacket;
import io.penstock.operations.FlowCounts;
import io.penstock.operations.FlowLine;
import io.penstock.operations.FunctionStatus;
import io.penstock.operations.FunctionStatus.ProbeStatus;
import io.penstock.operations.LearnedHost;
import io.penstock.operations.LeaseLine;
import io.penstock.operations.Limit;
import io.penstock.operations.NatPreview;
import io.penstock.operations.NatUsage;
import io.penstock.operations.NatUsage.AddressUsage;
import io.penstock.operations.NatUsage.BlockUsage;
import io.penstock.operations.NodeStatus;
import io.penstock.operations.Progress;
import io.penstock.operations.Resync;
import io.penstock.operations.Status;
import io.penstock.operations.TenantStatus;
import io.penstock.operations.TenantStatus.AgentStatus;
import io.penstock.operations.TraceReport;
import io.penstock.operations.TraceReport.TraceWay;
import io.penstock.operations.TraceReport.Verdict;
import io.penstock.operations.Verification;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.yang.types.rev130715.Counter64;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.yang.types.rev130715.DateAndTime;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.yang.types.rev130715.MacAddress;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.ChainTraceOutput;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.ChainTraceOutputBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.DhcpMessagesOutput;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.DhcpMessagesOutputBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.FlowsOutput;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.FlowsOutputBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.LearnedHostsOutput;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.LearnedHostsOutputBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.LeasesOutput;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.LeasesOutputBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.LimitsOutput;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.LimitsOutputBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.NatPreviewOutput;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.NatPreviewOutputBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.NatUsageOutput;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.NatUsageOutputBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.ResyncOutput;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.ResyncOutputBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.StatusOutput;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.StatusOutputBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.VerifyOutput;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.VerifyOutputBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.WaitAppliedOutput;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.WaitAppliedOutputBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.chain.trace.output.InboundBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.chain.trace.output.OutboundBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.dhcp.messages.output.CountBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.flows.output.FlowBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.flows.output.flow.LastDropped;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.flows.output.flow.LastDroppedBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.learned.hosts.output.HostBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.leases.output.LeaseBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.limits.output.LimitBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.nat.preview.output.MoveBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.nat.usage.output.PoolBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.nat.usage.output.PortBlock;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.nat.usage.output.PortBlockBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.nat.usage.output.pool.DrainBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.nat.usage.output.port.block.Address;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.nat.usage.output.port.block.AddressBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.nat.usage.output.port.block.TopBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.status.output.ChainBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.status.output.ControllerBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.status.output.Function;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.status.output.FunctionBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.status.output.NodeBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.status.output.RefusedNodeBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.status.output.TenantBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.status.output.controller.IcmpErrorBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.status.output.controller.PacketInBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.status.output.function.InstanceBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.status.output.function.instance.Probes;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.status.output.function.instance.ProbesBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.status.output.node.FlowsBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.status.output.tenant.Agent;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.status.output.tenant.AgentBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.traced.way.Hop;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.traced.way.HopBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.verify.output.node.DifferenceBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.wait.applied.output.Node.State;
import org.opendaylight.yangtools.yang.binding.util.BindingMap;
import org.opendaylight.yangtools.yang.common.Uint16;
import org.opendaylight.yangtools.yang.common.Uint32;
import org.opendaylight.yangtools.yang.common.Uint64;
import org.opendaylight.yangtools.yang.common.Uint8;

/** Answers in the words of the model. */
final class OperationsWriter {
    private OperationsWriter() {
        // Only functions.
    }

    private static Function function(final FunctionStatus function) {
        return new FunctionBuilder().setName(function.name()).setState(function.state())
            .setInstance(function.instances().stream().map(instance -> new InstanceBuilder()
                .setName(instance.name()).setState(instance.state()).setProcess(unlessEmpty(instance.process()))
                .setPacketsIn(counter(instance.packetsIn())).setPacketsOut(counter(instance.packetsOut()))
                .setProbes(instance.probes().map(OperationsWriter::probes).orElse(null)).build())
                .collect(BindingMap.toOrderedMap()))
            .setCanary(function.canaries().stream().map(CanaryWriter::canary).toList()).build();
    }

    private static Probes probes(final ProbeStatus probes) {
        return new ProbesBuilder().setSent(Uint16.valueOf(probes.sent())).setLost(Uint16.valueOf(probes.lost()))
            .setMeanRoundTrip(Uint32.valueOf(probes.meanMicros()))
            .setLongestRoundTrip(Uint32.valueOf(probes.mostMicros())).build();
    }

    static StatusOutput status(final Status status) {
        return new StatusOutputBuilder()
            .setNode(status.nodes().stream().map(OperationsWriter::node).collect(BindingMap.toOrderedMap()))
            .setRefusedNode(status.refused().stream().map(each -> new RefusedNodeBuilder().setName(each.name())
                .setAddress(each.address()).setReason(each.reason()).build()).collect(BindingMap.toOrderedMap()))
            .setTenant(status.tenants().stream().map(OperationsWriter::tenant).collect(BindingMap.toOrderedMap()))
            .setChain(status.chains().stream().map(chain -> new ChainBuilder().setName(chain.name())
                .setFunction(chain.functions()).setBranchFunction(chain.branch())
                .setPackets(counter(chain.packets())).build())
                .collect(BindingMap.toOrderedMap()))
            .setFunction(status.functions().stream().map(OperationsWriter::function).collect(BindingMap.toOrderedMap()))
            .setController(new ControllerBuilder().setUrl(status.controller().url())
                .setVersion(status.controller().version())
                .setUptimeSeconds(Uint32.valueOf(status.controller().uptimeSeconds()))
                .setIcmpError(status.controller().icmpErrors().entrySet().stream().map(each -> new IcmpErrorBuilder()
                    .setOutcome(each.getKey()).setPackets(counter(each.getValue())).build())
                    .collect(BindingMap.toOrderedMap()))
                .setPacketIn(status.controller().packetIns().entrySet().stream().map(each -> new PacketInBuilder()
                    .setService(each.getKey()).setTaken(counter(each.getValue().taken()))
                    .setIgnored(counter(each.getValue().ignored()))
                    .setMalformed(counter(each.getValue().malformed()))
                    .setFailed(counter(each.getValue().failed())).build())
                    .collect(BindingMap.toOrderedMap())).build())
            .build();
    }

    static VerifyOutput verify(final List<Verification> verifications) {
        return new VerifyOutputBuilder().setNode(verifications.stream().map(OperationsWriter::verification)
            .collect(BindingMap.toOrderedMap())).build();
    }

    static ResyncOutput resync(final List<Resync> done) {
        return new ResyncOutputBuilder().setNode(done.stream().map(each ->
            new org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.resync.output.NodeBuilder()
                .setName(each.node()).setAdded(Uint32.valueOf(each.added()))
                .setRemoved(Uint32.valueOf(each.removed())).build()).collect(BindingMap.toOrderedMap())).build();
    }

    static NatUsageOutput natUsage(final NatUsage usage) {
        return new NatUsageOutputBuilder()
            .setPool(usage.pools().stream().map(pool -> new PoolBuilder().setName(pool.name())
                .setAddresses(Uint64.valueOf(pool.addresses())).setUsed(Uint64.valueOf(pool.used()))
                .setDrain(pool.drain().stream().map(drained -> new DrainBuilder().setPrefix(drained.prefix())
                    .setTenant(Set.copyOf(drained.tenants())).build()).collect(BindingMap.toOrderedMap())).build())
                .collect(BindingMap.toOrderedMap()))
            .setPortBlock(usage.portBlocks().stream().map(OperationsWriter::portBlock)
                .collect(BindingMap.toOrderedMap()))
            .build();
    }

    private static PortBlock portBlock(final BlockUsage usage) {
        return new PortBlockBuilder().setTenant(usage.tenant()).setInsidePrefix(usage.inside())
            .setPublicPrefix(usage.outside()).setSubscribers(Uint32.valueOf(usage.subscribers()))
            .setBlocks(Uint32.valueOf(usage.blocks())).setUsed(Uint32.valueOf(usage.used()))
            .setAddress(usage.addresses().stream().map(OperationsWriter::address).collect(BindingMap.toOrderedMap()))
            .setTop(usage.top().stream().map(each -> new TopBuilder().setSubscriber(each.subscriber())
                .setUsed(Uint32.valueOf(each.blocks())).build()).collect(BindingMap.toOrderedMap()))
            .build();
    }

    private static Address address(final AddressUsage usage) {
        final AddressBuilder address = new AddressBuilder().setAddress(usage.address())
            .setUsed(Uint32.valueOf(usage.blocks())).setDraining(usage.draining());
        usage.emptyInSeconds().ifPresent(seconds -> address.setEmptyInSeconds(Uint32.saturatedOf(seconds)));
        return address.build();
    }

    static NatPreviewOutput natPreview(final NatPreview preview) {
        return new NatPreviewOutputBuilder().setMove(preview.moves().stream().map(move -> new MoveBuilder()
            .setTenant(move.tenant()).setSubscriber(unlessEmpty(move.subscriber())).setFrom(move.from())
            .setTo(unlessEmpty(move.to())).setBlocks(Uint32.valueOf(move.blocks()))
            .setSessions(Uint32.valueOf(move.sessions())).build()).toList()).build();
    }

    private static @Nullable String unlessEmpty(final String text) {
        return text.isEmpty() ? null : text;
    }

    static WaitAppliedOutput applied(final SortedMap<String, Progress> progress) {
        return new WaitAppliedOutputBuilder()
            .setApplied(progress.values().stream().allMatch(Progress.APPLIED::equals))
            .setNode(progress.entrySet().stream().map(each ->
                new org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.wait.applied.output.NodeBuilder()
                    .setName(each.getKey()).setState(state(each.getValue().state()))
                    .setReason(unlessEmpty(each.getValue().reason())).build())
                .collect(BindingMap.toOrderedMap()))
            .build();
    }

    private static State state(final Progress.State state) {
        return switch (state) {
            case APPLIED -> State.Applied;
            case NOT_YET -> State.NotYet;
            case NOT_CONNECTED -> State.NotConnected;
            case FAILED -> State.Failed;
        };
    }

    static ChainTraceOutput chainTrace(final TraceReport report) {
        final TraceWay out = report.outbound();
        final TraceWay in = report.inbound();
        return new ChainTraceOutputBuilder().setNode(report.node())
            .setOutbound(new OutboundBuilder().setChain(unlessEmpty(out.chain())).setRule(unlessEmpty(out.rule()))
                .setHop(hops(out)).build())
            .setInbound(new InboundBuilder().setChain(unlessEmpty(in.chain())).setRule(unlessEmpty(in.rule()))
                .setHop(hops(in)).build())
            .setVerdict(verdict(report.verdict())).setReason(unlessEmpty(report.reason())).build();
    }

    private static ChainTraceOutput.Verdict verdict(final Verdict verdict) {
        return switch (verdict) {
            case AGREES -> ChainTraceOutput.Verdict.Agrees;
            case DIFFERS -> ChainTraceOutput.Verdict.Differs;
            case NOT_CHECKED -> ChainTraceOutput.Verdict.NotChecked;
        };
    }

    private static List<Hop> hops(final TraceWay way) {
        return way.hops().stream().map(hop -> new HopBuilder().setFunction(hop.function())
            .setInstance(unlessEmpty(hop.instance())).setReason(hop.reason()).setPortTo(unlessEmpty(hop.portTo()))
            .setPortFrom(unlessEmpty(hop.portFrom())).build()).toList();
    }

    static LearnedHostsOutput learnedHosts(final List<LearnedHost> hosts) {
        return new LearnedHostsOutputBuilder().setHost(hosts.stream().map(host -> new HostBuilder()
            .setNode(host.node()).setAttachment(host.attachment()).setMac(host.mac())
            .setAddress(new LinkedHashSet<>(host.addresses())).setAge(Uint32.saturatedOf(host.ageSeconds())).build())
            .toList()).build();
    }

    static FlowsOutput flows(final List<FlowLine> lines) {
        return new FlowsOutputBuilder().setFlow(lines.stream().map(line -> new FlowBuilder()
            .setNode(line.node()).setTable(line.table()).setLabel(line.label()).setDrop(line.drop())
            .setPackets(counter(line.packets())).setBytes(counter(line.bytes())).setText(line.text())
            .setLastDropped(line.lastDropped().map(OperationsWriter::lastDropped).orElse(null)).build())
            .toList()).build();
    }

    private static LastDropped lastDropped(final DroppedPacket packet) {
        return new LastDroppedBuilder().setTime(new DateAndTime(packet.time())).setText(packet.text())
            .setPort(packet.port())
            .setVlan(packet.vlan().map(Uint16::valueOf).orElse(null)).setSourceMac(new MacAddress(packet.sourceMac()))
            .setDestinationMac(new MacAddress(packet.destinationMac()))
            .setEtherType(Uint16.valueOf(packet.etherType()))
            .setSourceAddress(packet.sourceAddress().orElse(null))
            .setDestinationAddress(packet.destinationAddress().orElse(null))
            .setProtocol(packet.protocol().map(Uint8::valueOf).orElse(null))
            .setSourcePort(packet.sourcePort().map(Uint16::valueOf).orElse(null))
            .setDestinationPort(packet.destinationPort().map(Uint16::valueOf).orElse(null)).build();
    }

    static LimitsOutput limits(final List<Limit> limits) {
        return new LimitsOutputBuilder().setLimit(limits.stream().map(limit -> new LimitBuilder()
            .setNode(limit.node()).setTenant(unlessEmpty(limit.tenant())).setMeter(limit.meter())
            .setUnit(limit.unit()).setRate(Uint32.valueOf(limit.rate())).setBurst(Uint32.valueOf(limit.burst()))
            .setPassedPackets(counter(limit.passedPackets())).setDroppedPackets(counter(limit.droppedPackets()))
            .setDroppedBytes(counter(limit.droppedBytes())).build()).toList()).build();
    }

    static LeasesOutput leases(final List<LeaseLine> leases) {
        return new LeasesOutputBuilder().setLease(leases.stream().map(lease -> new LeaseBuilder()
            .setTenant(lease.tenant()).setAddress(lease.address()).setState(lease.state()).setMac(lease.mac())
            .setClient(lease.client()).setAttachment(unlessEmpty(lease.attachment()))
            .setHostName(unlessEmpty(lease.hostName())).setExpires(new DateAndTime(lease.expires())).build())
            .collect(BindingMap.toOrderedMap())).build();
    }

    static DhcpMessagesOutput dhcpMessages(final List<DhcpCount> counts) {
        return new DhcpMessagesOutputBuilder().setCount(counts.stream().map(count -> new CountBuilder()
            .setTenant(count.tenant()).setMessage(count.message()).setMessages(counter(count.count())).build())
            .collect(BindingMap.toOrderedMap())).build();
    }

    private static org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.status.output.Node node(
            final NodeStatus node) {
        final FlowCounts counts = node.flows();
        return new NodeBuilder().setName(node.name()).setConnected(node.connected()).setDatapath(node.datapath())
            .setOpenVswitch(node.openVswitch()).setDpdk(node.dpdk())
            .setFoundFunction(new LinkedHashSet<>(node.foundFunctions()))
            .setFlows(new FlowsBuilder().setPlanned(Uint32.valueOf(counts.planned()))
                .setInstalled(Uint32.valueOf(counts.installed())).setMissing(Uint32.valueOf(counts.missing()))
                .setExcess(Uint32.valueOf(counts.excess())).setWrong(Uint32.valueOf(counts.wrong())).build())
            .setRepairs(counter(node.repairs())).setLastRepair(time(node.lastRepair()))
            .setLastCompared(time(node.lastCompared())).setWarning(unlessEmpty(node.warning())).build();
    }

    private static @Nullable DateAndTime time(final String time) {
        return time.isEmpty() ? null : new DateAndTime(time);
    }

    private static org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.status.output.Tenant tenant(
            final TenantStatus tenant) {
        return new TenantBuilder().setName(tenant.name()).setVrf(Uint16.valueOf(tenant.vrf()))
            .setAttachment(new LinkedHashSet<>(tenant.attachments())).setPublic(tenant.publicAddress())
            .setChain(tenant.chain()).setState(tenant.state())
            .setAgent(tenant.agents().stream().map(OperationsWriter::agent).collect(BindingMap.toOrderedMap()))
            .build();
    }

    private static Agent agent(final AgentStatus agent) {
        return new AgentBuilder().setNode(agent.node()).setSessions(Uint64.valueOf(agent.sessions()))
            .setSessionLimit(agent.sessionLimit() == 0 ? null : Uint64.valueOf(agent.sessionLimit()))
            .setSessionLimitSet(agent.sessionLimitSet() == 0 ? null : Uint64.valueOf(agent.sessionLimitSet()))
            .setResolver(unlessEmpty(agent.resolver())).build();
    }

    private static org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.verify.output.Node verification(
            final Verification each) {
        final FlowCounts counts = each.flows();
        return new org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.verify.output.NodeBuilder()
            .setName(each.node()).setConnected(each.connected())
            .setPlanned(Uint32.valueOf(counts.planned())).setInstalled(Uint32.valueOf(counts.installed()))
            .setMissing(Uint32.valueOf(counts.missing())).setExcess(Uint32.valueOf(counts.excess()))
            .setWrong(Uint32.valueOf(counts.wrong()))
            .setDifference(each.differences().stream().map(difference -> new DifferenceBuilder()
                .setKind(difference.kind()).setFlow(difference.flow()).build()).toList())
            .build();
    }

    private static Counter64 counter(final long value) {
        return new Counter64(Uint64.valueOf(value));
    }
}
