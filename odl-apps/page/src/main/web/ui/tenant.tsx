// SPDX-License-Identifier: Apache-2.0
/** One customer: what the network knows of it, and why its packets do not pass. */
import type { JSX } from "preact";
import type { Flow, Host, Lease, Limit, Tenant, TenantState } from "../api/model";
import { call } from "../api/restconf";
import { byNumber } from "../logic/drops";
import { count, duration, grouped, localTime } from "../logic/numbers";
import { fragmentOf } from "../logic/route";
import { network, own, reading } from "../state/network";
import { Badge, Table, toneOf } from "./parts";
import { Answer, useAnswer } from "./answer";
import { WhyForm } from "./why";

export function TenantView({ name }: { name: string }): JSX.Element {
  const tenant = reading.value?.state.tenant?.find(each => each.name === name);
  const configured = network.value?.tenant?.find(each => each.name === name);
  if (!tenant) {
    return <><h1 tabIndex={-1}>Tenant {name}</h1><p>There is no state of a tenant of this name.{" "}
      {!own.value && <a href={fragmentOf({ view: "change", tenant: name })}>Make it</a>}</p></>;
  }
  return <>
    <h1 tabIndex={-1}>Tenant {name} <Badge tone={toneOf(tenant.status)}>{tenant.status}</Badge></h1>
    {tenant.reason && <p class="reason">{tenant.reason}</p>}
    <p><a href={fragmentOf({ view: "change", tenant: name })}>Change its configuration</a></p>
    <WhyForm tenant={name} />
    <div class="columns">
      <section aria-labelledby="facts"><h2 id="facts">Facts</h2><Facts tenant={tenant} configured={configured} /></section>
      <section aria-labelledby="attachments"><h2 id="attachments">Attachments</h2>
        <Table caption="Attachments" empty="It has no attachment." head={["Attachment", "Node", "Port", "VLAN"]}
          rows={(tenant.attachment ?? []).map(each => [each.name, each.node, each.port, each.vlan])} /></section>
      <section aria-labelledby="public"><h2 id="public">Public addresses</h2>
        <Public tenant={tenant} configured={configured} /></section>
    </div>
    <Drops name={name} tenant={tenant} />
    <Hosts name={name} />
    <Leases name={name} />
    <Limits name={name} />
  </>;
}

function Facts({ tenant, configured }: { tenant: TenantState; configured: Tenant | undefined }): JSX.Element {
  const subnets = [...configured?.subnet ?? [], ...configured?.ipv6?.subnet ?? []];
  return <dl>
    <dt>Status since</dt><dd>{localTime(tenant.since)}</dd>
    <dt>Chain</dt><dd>{tenant.chain ?? "none"}{!own.value && <>{" "}
      (<a href={fragmentOf({ view: "chains", tenant: tenant.name })}>functions of its chains</a>)</>}</dd>
    {subnets.length > 0 && <><dt>Subnets</dt><dd>{subnets.map(each => each.prefix).join(", ")}</dd></>}
    <dt>Bound leases</dt><dd>{grouped(tenant["bound-leases"])}</dd>
    <dt>Port blocks</dt><dd>{grouped(tenant["port-blocks"])}</dd>
    {(tenant.node ?? []).map(node => <>
      <dt>Sessions at {node.name}</dt><dd>{node.sessions === undefined ? "not counted" : grouped(node.sessions)}</dd>
      <dt>VRF id at {node.name}</dt><dd>{node.vrf ?? "none"}</dd></>)}
  </dl>;
}

function Public({ tenant, configured }: { tenant: TenantState; configured: Tenant | undefined }): JSX.Element {
  const rows: (string | number | undefined)[][] = [];
  if (tenant["public-address"]) {
    rows.push([tenant["public-address"], "source NAT", tenant.pool ? `pool ${tenant.pool}` : "configured"]);
  }
  for (const each of tenant["public-prefix"] ?? []) {
    rows.push([each["public-prefix"], each.kind, `${each["inside-prefix"]}${each["used-blocks"] === undefined ? ""
      : `, ${grouped(each["used-blocks"])} blocks used`}`]);
  }
  for (const each of configured?.nat?.["port-forward"] ?? []) {
    rows.push([`port ${each["public-port"]}`, `port forward ${each.name}`,
      `${each.protocol ?? ""} ${each["inside-address"]}:${each["inside-port"] ?? each["public-port"]}`]);
  }
  return <Table caption="Public addresses" empty="It has no public address." head={["Public", "Kind", "Inside"]}
    rows={rows} />;
}

function Drops({ name, tenant }: { name: string; tenant: TenantState }): JSX.Element {
  const flows = useAnswer(() => call<{ flow: readonly Flow[] }>("flows", { tenant: name, "drops-only": true }));
  const guarded = (tenant.node ?? []).reduce((sum, node) => sum + count(node["guarded-packets"]), 0n);
  return <section aria-labelledby="drops"><h2 id="drops">Dropped packets</h2>
    {guarded > 0n && <p>Hosts sent {grouped(guarded)} packets from addresses that are not theirs.</p>}
    <Answer of={flows}>{answer => {
      const counted = byNumber(answer.flow ?? [], flow => flow.packets);
      const dropped = counted.filter(flow => count(flow.packets) > 0n);
      const row = (flow: Flow): (string | undefined)[] => [grouped(flow.packets), flow.label, flow.table, flow.node,
        flow["last-dropped"] && `${localTime(flow["last-dropped"].time)}: ${flow["last-dropped"].text ?? ""}`];
      return <>
        <Table caption="Flows that dropped packets" empty="No flow of it has dropped a packet."
          head={["Packets", "Purpose of the flow", "Table", "Node", "Last packet that was reported"]}
          rows={dropped.map(row)} />
        {counted.length > dropped.length && <details>
          <summary>{counted.length - dropped.length} flows that have dropped nothing</summary>
          <Table caption="Flows that dropped nothing" empty="" head={["Packets", "Purpose of the flow", "Table", "Node"]}
            rows={counted.slice(dropped.length).map(flow => row(flow).slice(0, -1))} /></details>}
      </>;
    }}</Answer></section>;
}

function Hosts({ name }: { name: string }): JSX.Element {
  const hosts = useAnswer(() => call<{ host: readonly Host[] }>("learned-hosts", { tenant: name }));
  return <section aria-labelledby="hosts"><h2 id="hosts">Hosts that the switches have learned</h2>
    <Answer of={hosts}>{answer => <Table caption="Learned hosts" empty="The switches have learned no host of it."
      head={["MAC address", "Addresses", "Attachment", "Node", "Learned"]}
      rows={(answer.host ?? []).map(host => [host.mac, (host.address ?? []).join(", "), host.attachment, host.node,
        host.age === undefined ? "" : `${duration(host.age)} ago`])} />}</Answer></section>;
}

function Leases({ name }: { name: string }): JSX.Element {
  const leases = useAnswer(() => call<{ lease: readonly Lease[] }>("leases", { tenant: name }));
  return <section aria-labelledby="leases"><h2 id="leases">Leases</h2>
    <Answer of={leases}>{answer => <Table caption="Leases" empty="Its DHCP server has no lease."
      head={["Address", "State", "MAC address", "Host name", "Attachment", "Until"]}
      rows={(answer.lease ?? []).map(lease => [lease.address, lease.state, lease.mac, lease["host-name"],
        lease.attachment, localTime(lease.expires)])} />}</Answer></section>;
}

function Limits({ name }: { name: string }): JSX.Element {
  const limits = useAnswer(() => call<{ limit: readonly Limit[] }>("limits", { tenant: name }));
  return <section aria-labelledby="limits"><h2 id="limits">Limits</h2>
    <Answer of={limits}>{answer => <Table caption="Limits" empty="No limit of it is installed."
      head={["Limit", "Rate", "Dropped packets", "Passed packets", "Node"]}
      rows={byNumber(answer.limit ?? [], each => each["dropped-packets"]).map(each => [each.meter,
        `${grouped(each.rate)} ${each.unit ?? ""}/s`, count(each["dropped-packets"]) > 0n
          ? <Badge tone="warning">{grouped(each["dropped-packets"])}</Badge> : "0", grouped(each["passed-packets"]),
        each.node])} />}</Answer></section>;
}
