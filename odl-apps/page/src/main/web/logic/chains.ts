// SPDX-License-Identifier: Apache-2.0
/** Chains, hop by hop: what is configured, the state and the answer of the RPC status, joined. Pure functions. */
import type { FunctionStatus, InstanceStatus, Status } from "../api/answers";
import type { Counter, Network, NetworkFunction, State, Tenant } from "../api/model";
import { count, many } from "./numbers";

export interface Chain {
  readonly name: string;
  /** Tenants of which packets pass it: by their chain, or by a rule. */
  readonly tenants: readonly string[];
  readonly packets: Counter;
  /** From the tenant to the backbone. */
  readonly hops: readonly Hop[];
  /** Behind the second output of the function at which they leave the chain; undefined without a branch. */
  readonly branch: { readonly at: string; readonly hops: readonly Hop[] } | undefined;
}

export interface Hop {
  readonly name: string;
  readonly node: string;
  /** up, down or waiting; unknown without a state. */
  readonly status: string;
  /** What it is and does beside forwarding, such as "mirror". */
  readonly kind: string;
  /** For packets while no instance works. */
  readonly failure: string;
  readonly instances: readonly Instance[];
  /** Undefined before the status was asked for. */
  readonly answer: FunctionStatus | undefined;
}

export interface Instance {
  readonly name: string;
  readonly isUp: boolean;
  readonly weight: number | undefined;
  readonly answer: InstanceStatus | undefined;
}

/** @param tenant of which the chains are; empty for all chains */
export function chainsOf(state: State, network: Network | undefined, status: Partial<Status>, tenant: string):
    readonly Chain[] {
  const functions = new Map((network?.function ?? []).map(each => [each.name, each]));
  const states = new Map((state.function ?? []).map(each => [each.name, each]));
  const answers = new Map((status.function ?? []).map(each => [each.name, each]));
  const packets = new Map((status.chain ?? []).map(each => [each.name, each.packets]));
  const hop = (name: string): Hop => {
    const wanted = functions.get(name);
    const answer = answers.get(name);
    const all = new Map((answer?.instance ?? []).map(each => [each.name, each]));
    const weights = new Map((wanted?.instance ?? []).map(each => [each.name, each.weight]));
    return { name, node: wanted?.node ?? "", status: states.get(name)?.status ?? "unknown", kind: kindOf(wanted),
      failure: wanted?.["fail-policy"] === "open" ? "bypassed when it fails" : "stops packets when it fails", answer,
      instances: (states.get(name)?.instance ?? []).map(each => ({ name: each.name, weight: weights.get(each.name),
        isUp: each["ports-up"] !== false && each["answers-probes"] !== false, answer: all.get(each.name) })) };
  };
  return (network?.chain ?? []).map(chain => ({ name: chain.name,
    tenants: (network?.tenant ?? []).filter(each => uses(each, chain.name)).map(each => each.name).sort(),
    packets: packets.get(chain.name), hops: (chain.function ?? []).map(hop),
    branch: chain.branch?.at ? { at: chain.branch.at, hops: (chain.branch.function ?? []).map(hop) } : undefined }))
    .filter(chain => !tenant || chain.tenants.includes(tenant))
    .sort((one, other) => Number(isRight(one)) - Number(isRight(other)) || (one.name < other.name ? -1 : 1));
}

function uses(tenant: Tenant, chain: string): boolean {
  return tenant.chain === chain || (tenant["chain-rule"] ?? []).some(rule => rule.chain === chain);
}

function kindOf(each: NetworkFunction | undefined): string {
  return [...each?.routed ? ["router"] : [], ...each?.mirror ? ["mirror"] : [],
    ...each?.nsh ? ["network service header"] : [], ...each?.["second-output"] ? ["second output"] : []].join(", ");
}

/** Whether each function of it gets packets by each of its instances. */
export function isRight(chain: Chain): boolean {
  return [...chain.hops, ...chain.branch?.hops ?? []].every(hop =>
    hop.status === "up" && hop.instances.every(instance => instance.isUp));
}

/** One sentence. */
export function chainsHeadline(chains: readonly Chain[], tenant: string): string {
  if (!chains.length) {
    return tenant ? `Packets of tenant ${tenant} pass no chain.` : "No chain is configured.";
  }
  const wrong = chains.filter(chain => !isRight(chain)).length;
  const of = tenant ? ` of tenant ${tenant}` : "";
  return wrong ? `${wrong} of ${many(chains.length, "chain")}${of} ${wrong === 1 ? "needs" : "need"} attention.`
    : `All functions of ${many(chains.length, "chain")}${of} work.`;
}

/** How fast a counter grows, for people; empty when that is not known, as after a restart of the counter. */
export function rate(before: Counter, after: Counter, seconds: number): string {
  if (before === undefined || after === undefined || seconds <= 0 || count(after) < count(before)) {
    return "";
  }
  const each = Number(count(after) - count(before)) / seconds;
  return `${each >= 10 || each === 0 ? Math.round(each).toLocaleString("en") : each.toFixed(1)} /s`;
}
