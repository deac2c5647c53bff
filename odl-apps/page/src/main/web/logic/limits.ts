// SPDX-License-Identifier: Apache-2.0
/** How near tenants, nodes, pools and port blocks are to their limits: pure functions. */
import type { Counter, Network, State, Tenant } from "../api/model";
import { defaultOf } from "../api/schema";
import { count, many, percent } from "./numbers";

/** Something of which there is a limited number. */
export interface Use {
  readonly used: bigint;
  /** Undefined: no limit. */
  readonly size: bigint | undefined;
  /** 0..100; 0 without a limit. */
  readonly percent: number;
}

export interface TenantUse {
  readonly name: string;
  readonly node: string;
  /** Undefined when they are not counted. */
  readonly sessions: Use | undefined;
  readonly leases: Use;
  /** Packets that limits dropped, by limit, the names as in the RPC limits. */
  readonly dropped: readonly { readonly meter: string; readonly packets: bigint }[];
  /** Of the fullest. */
  readonly percent: number;
}

export interface NodeUse {
  readonly name: string;
  readonly tenants: number;
  readonly sessions: bigint;
  /** Tenants that are near a limit, or of which a limit has dropped packets. */
  readonly near: number;
  readonly dropped: bigint;
}

/** In percent: from here on something is near its limit. */
export const NEAR = 80;
/** Lower bounds in percent of the steps of colour, the coolest first. */
const HEAT = [1, 50, NEAR, 95] as const;

/** A step of colour, 0..4. */
export function heat(share: number): number {
  return HEAT.filter(bound => share >= bound).length;
}

/** @param size a number, or the word unlimited of the model */
export function useOf(used: Counter, size: number | string | undefined): Use {
  const most = size === undefined || size === "unlimited" ? undefined : count(size);
  return { used: count(used), size: most, percent: most === undefined ? 0 : percent(used, String(most)) };
}

function quotaOf(tenant: Tenant | undefined, leaf: string): number | string {
  return tenant?.quota?.[leaf] ?? defaultOf("quota", leaf);
}

/** Each tenant once for each of its nodes: first those of which limits drop packets or are near, then by name. */
export function tenantUses(state: State, network: Network | undefined): readonly TenantUse[] {
  const configured = new Map((network?.tenant ?? []).map(tenant => [tenant.name, tenant]));
  const found = (state.tenant ?? []).flatMap(tenant => {
    const wanted = configured.get(tenant.name);
    const leases = useOf(tenant["bound-leases"], quotaOf(wanted, "leases"));
    return (tenant.node ?? []).map(node => {
      const sessions = node.sessions === undefined ? undefined : useOf(node.sessions, quotaOf(wanted, "sessions"));
      return { name: tenant.name, node: node.name, sessions, leases,
        dropped: (node.limited ?? []).map(each => ({ meter: each.meter, packets: count(each["dropped-packets"]) }))
          .filter(each => each.packets > 0n),
        percent: Math.max(sessions?.percent ?? 0, leases.percent) };
    });
  });
  return found.sort((one, other) => other.percent - one.percent || sum(other) - sum(one)
    || (one.name < other.name ? -1 : 1));
}

function sum(use: TenantUse): number {
  return Number(use.dropped.reduce((all, each) => all + each.packets, 0n));
}

export function isNear(use: TenantUse): boolean {
  return use.percent >= NEAR || use.dropped.length > 0;
}

export function nodeUses(state: State, uses: readonly TenantUse[]): readonly NodeUse[] {
  return (state.node ?? []).map(node => {
    const own = uses.filter(use => use.node === node.name);
    return { name: node.name, tenants: own.length, near: own.filter(isNear).length,
      sessions: own.reduce((all, use) => all + (use.sessions?.used ?? 0n), 0n),
      dropped: own.flatMap(use => use.dropped).reduce((all, each) => all + each.packets, 0n) };
  }).sort((one, other) => one.name < other.name ? -1 : 1);
}

/** One sentence. */
export function headline(state: State, uses: readonly TenantUse[]): string {
  const pools = (state.pool ?? []).filter(pool => percent(pool.used, pool.size) >= NEAR).length;
  const near = new Set(uses.filter(use => use.percent >= NEAR).map(use => use.name)).size;
  const dropping = new Set(uses.filter(use => use.dropped.length).map(use => use.name)).size;
  const parts = [...pools ? [`${many(pools, "pool")} ${pools === 1 ? "is" : "are"} used to ${NEAR} % or more`] : [],
    ...near ? [`${many(near, "tenant")} ${near === 1 ? "uses" : "use"} ${NEAR} % or more of a quota`] : [],
    ...dropping ? [`limits have dropped packets of ${many(dropping, "tenant")}`] : []];
  const text = parts.join(", and ");
  return text ? `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
    : `All pools and quotas are used to less than ${NEAR} %, and no limit has dropped a packet.`;
}
