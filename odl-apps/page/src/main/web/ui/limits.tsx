// SPDX-License-Identifier: Apache-2.0
/** Where are the limits? */
import type { ComponentChildren, JSX } from "preact";
import { call } from "../api/restconf";
import type { NatUsage, PortBlocks } from "../api/answers";
import { headline, heat, isNear, nodeUses, tenantUses, useOf, type TenantUse, type Use } from "../logic/limits";
import { count, duration, grouped, many, percent } from "../logic/numbers";
import { network, own, reading } from "../state/network";
import { Answer, useAnswer } from "./answer";
import { Table, TenantLink } from "./parts";

/** Of tenants that are near no limit: the fullest are enough to see how far the next one is. */
const MOST_ROWS = 50;

export function LimitsView(): JSX.Element {
  const state = reading.value?.state ?? {};
  const uses = tenantUses(state, network.value);
  return <>
    <h1 tabIndex={-1} class={uses.some(isNear) ? "bad" : "good"}>{headline(state, uses)}</h1>
    {own.value === undefined && <>
      <Pools />
      <section aria-labelledby="loads"><h2 id="loads">Nodes</h2>
        <Table caption="Nodes by load" empty="No node is configured."
          head={["Node", "Tenants", "Tracked connections", "Tenants near a limit", "Dropped by limits"]}
          rows={nodeUses(state, uses).map(node => [node.name, grouped(BigInt(node.tenants)), grouped(node.sessions),
            grouped(BigInt(node.near)), grouped(node.dropped)])} /></section></>}
    <Tenants uses={uses} />
  </>;
}

/** A share as a number, with a colour beside it. */
function Share({ of, children }: { of: number; children?: ComponentChildren }): JSX.Element {
  return <span class={`heat heat-${heat(of)}`}>{children ?? `${of} %`}</span>;
}

function Used({ use }: { use: Use | undefined }): JSX.Element {
  return use === undefined ? <>not counted</> : use.size === undefined ? <>{grouped(use.used)}, no limit</>
    : <><Share of={use.percent} /> {grouped(use.used)} of {grouped(use.size)}</>;
}

function Tenants({ uses }: { uses: readonly TenantUse[] }): JSX.Element {
  const near = uses.filter(isNear).length;
  const shown = uses.slice(0, Math.max(MOST_ROWS, near));
  return <section aria-labelledby="quotas"><h2 id="quotas">Quotas</h2>
    <Table caption="Quotas of tenants" empty="No tenant is configured."
      head={["Tenant", "Node", "Tracked connections", "Leases", "Packets dropped by limits"]}
      rows={shown.map(use => [<TenantLink name={use.name} />, use.node, <Used use={use.sessions} />,
        <Used use={use.leases} />, use.dropped.length ? <Share of={100}>{use.dropped.map(each =>
          `${each.meter}: ${grouped(each.packets)}`).join(", ")}</Share> : "0"])} />
    {uses.length > shown.length && <p class="quiet">{many(uses.length - shown.length, "further tenant")} use
      {" "}{uses[shown.length]?.percent} % of each quota at most.</p>}
    <p class="quiet">A tenant's own view has all of its limits with rates.</p></section>;
}

function Pools(): JSX.Element {
  const usage = useAnswer(() => call<NatUsage>("nat-usage"));
  const pools = reading.value?.state.pool ?? [];
  return <section aria-labelledby="addresses"><h2 id="addresses">Public addresses</h2>
    <Table caption="Pools of public addresses" empty="No pool is configured." head={["Pool", "Used", "Free"]}
      rows={pools.map(pool => [pool.name, <Used use={useOf(pool.used, String(pool.size ?? 0))} />,
        grouped(count(pool.size) - count(pool.used))])} />
    <Answer of={usage}>{answer => <>
      {(answer.pool ?? []).flatMap(pool => (pool.drain ?? []).map(drain => <p key={`${pool.name} ${drain.prefix}`}>
        Pool {pool.name} drains {drain.prefix}: {drain.tenant?.length ? <>{many(drain.tenant.length, "tenant")} still
          {drain.tenant.length === 1 ? " has" : " have"} an address of it.</> : "no tenant has an address of it."}</p>))}
      <Table caption="Port blocks" empty="No tenant has port blocks on demand."
        head={["Tenant", "Subscribers", "Public", "Used blocks", "Fullest address", "Largest subscriber"]}
        rows={[...answer["port-block"] ?? []].sort((one, other) => shareOf(other) - shareOf(one)).map(each =>
          [<TenantLink name={each.tenant} />, `${grouped(each.subscribers)} in ${each["inside-prefix"]}`,
            <>{each["public-prefix"]}{draining(each)}</>, <Used use={useOf(each.used, each.blocks ?? 0)} />,
            fullest(each), each.top?.[0] ? `${each.top[0].subscriber}: ${grouped(each.top[0].used)}` : "none"])} />
    </>}</Answer></section>;
}

function shareOf(blocks: PortBlocks): number {
  return percent(blocks.used, blocks.blocks);
}

function fullest(blocks: PortBlocks): string {
  const first = [...blocks.address ?? []].sort((one, other) => (other.used ?? 0) - (one.used ?? 0))[0];
  return first ? `${first.address}: ${grouped(first.used)}` : "none";
}

function draining(blocks: PortBlocks): string {
  return (blocks.address ?? []).filter(each => each.draining).map(each => `, ${each.address} drains${
    each["empty-in-seconds"] === undefined ? "" : `, empty in some ${duration(each["empty-in-seconds"])}`}`).join("");
}
