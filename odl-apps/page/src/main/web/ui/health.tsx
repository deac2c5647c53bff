// SPDX-License-Identifier: Apache-2.0
/** Is everything all right? */
import type { JSX } from "preact";
import { count, grouped, localTime } from "../logic/numbers";
import { fragmentOf } from "../logic/route";
import { healthOf, type Concern } from "../logic/health";
import { deaf, events, network, own, reading } from "../state/network";
import { Badge, Table, TenantLink, toneOf } from "./parts";

/** Names in one line; a lost node may concern a thousand tenants. */
const MOST_NAMES = 8;
const MOST_EVENTS = 50;

export function HealthView(): JSX.Element {
  const state = reading.value?.state ?? {};
  const isAll = own.value === undefined;
  const health = healthOf(state, network.value, isAll);
  return <>
    <h1 tabIndex={-1} class={health.good ? "good" : "bad"}>{health.headline}</h1>
    {health.concerns.length > 0 && <section aria-labelledby="concerns">
      <h2 id="concerns">What needs attention</h2>
      <ul class="concerns">{health.concerns.map((each, number) => <li key={number}>
        <Badge tone={each.severity}>{each.severity}</Badge> <Subject concern={each} />: {each.text}</li>)}</ul>
    </section>}
    {isAll && <Nodes />}
    {isAll ? <Others /> : <p>{(own.value ?? []).map(name => <><TenantLink key={name} name={name} />{" "}</>)}</p>}
    {isAll && <Events />}
  </>;
}

function Subject({ concern }: { concern: Concern }): JSX.Element {
  const shown = concern.names.slice(0, MOST_NAMES);
  const noun = concern.names.length === 1 ? concern.kind : `${concern.names.length} ${concern.kind}s`;
  return <><strong>{noun}</strong>{" "}{shown.map((name, number) => <>{number > 0 && ", "}
    {concern.kind === "tenant" ? <TenantLink key={name} name={name} /> : <b key={name}>{name}</b>}</>)}
    {concern.names.length > MOST_NAMES && <> and <a href={fragmentOf({ view: "find" })}>
      {concern.names.length - MOST_NAMES} more</a></>}</>;
}

function Nodes(): JSX.Element {
  const nodes = reading.value?.state.node ?? [];
  return <section aria-labelledby="nodes"><h2 id="nodes">Nodes</h2>
    <Table caption="Nodes" empty="No node is configured." head={["Node", "Switch", "In sync", "Flows", "Differences",
      "Open vSwitch", "DPDK", "Dropped packets", "Repairs", "Since"]}
    rows={[...nodes].sort((one, other) => one.name < other.name ? -1 : 1).map(node => {
      const drift = (node["missing-flows"] ?? 0) + (node["excess-flows"] ?? 0) + (node["wrong-flows"] ?? 0);
      return [node.name, node.connected ? <Badge tone="good">connected</Badge>
        : <Badge tone="error">not connected</Badge>,
      node["in-sync"] ? <Badge tone="good">yes</Badge> : <Badge tone="warning">no</Badge>,
      grouped(node["planned-flows"]), drift ? <Badge tone="warning">{grouped(drift)}</Badge> : "0",
      node["open-vswitch"] ?? "–", node.dpdk ?? "–", grouped(node["dropped-packets"]), grouped(node.repairs),
      localTime(node.since)];
    })} /></section>;
}

function Others(): JSX.Element {
  const state = reading.value?.state ?? {};
  const statuses = new Map<string, number>();
  for (const tenant of state.tenant ?? []) {
    const status = tenant.status ?? "unknown";
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  return <div class="columns">
    <section aria-labelledby="tenants"><h2 id="tenants">Tenants</h2>
      <Table caption="Tenants by status" empty="No tenant is configured." head={["Status", "Tenants"]}
        rows={[...statuses].sort().map(([status, number]) => [<Badge tone={toneOf(status)}>{status}</Badge>,
          <a href={fragmentOf({ view: "find", status })}>{grouped(number)}</a>])} /></section>
    <section aria-labelledby="functions"><h2 id="functions">Functions</h2>
      <Table caption="Functions" empty="No function is configured." head={["Function", "Status", "Instances up"]}
        rows={(state.function ?? []).map(each => {
          const all = each.instance ?? [];
          const up = all.filter(one => one["ports-up"] !== false && one["answers-probes"] !== false);
          return [each.name, <Badge tone={toneOf(each.status)}>{each.status}</Badge>, `${up.length} of ${all.length}`];
        })} /></section>
    <section aria-labelledby="pools"><h2 id="pools">Pools</h2>
      <Table caption="Pools of public addresses" empty="No pool is configured." head={["Pool", "Used", "Free"]}
        rows={(state.pool ?? []).map(pool => [pool.name, `${grouped(pool.used)} of ${grouped(pool.size)}`,
          grouped(count(pool.size) - count(pool.used))])} /></section>
  </div>;
}

function Events(): JSX.Element {
  const all = events.value;
  return <section aria-labelledby="events"><h2 id="events">Events since this page was opened</h2>
    {deaf.value && <p class="quiet">{deaf.value}</p>}
    {all.length === 0 ? <p class="quiet">None yet.</p> : <ol class="events" aria-live="polite">
      {all.slice(0, MOST_EVENTS).map((event, number) => <li key={all.length - number}>
        <time dateTime={event.time}>{localTime(event.time)}</time> <b>{event.name}</b> {event.text}
        {event.tenants.map(name => <span key={name}>{" "}<TenantLink name={name} /></span>)}</li>)}</ol>}
    {all.length > MOST_EVENTS && <p class="quiet">{all.length - MOST_EVENTS} older ones are not shown.</p>}
  </section>;
}
