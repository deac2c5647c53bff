// SPDX-License-Identifier: Apache-2.0
/** Whether all is right, of the state of the network: a pure function. */
import type { FunctionState, Network, NodeState, State, TenantState } from "../api/model";
import { count, grouped, many, percent } from "./numbers";

/** Something that needs attention. */
export interface Concern {
  readonly severity: "error" | "warning";
  readonly kind: "node" | "port" | "tenant" | "function" | "pool";
  /** What it is about: names of one or more of that kind. */
  readonly names: readonly string[];
  /** Continues "node edge1: ". */
  readonly text: string;
}

export interface Health {
  readonly good: boolean;
  readonly headline: string;
  /** Errors first. */
  readonly concerns: readonly Concern[];
}

/** Of a pool, in percent: above it is a warning. */
const ALMOST_FULL = 90;
const ERRORS = new Set(["stopped", "failed"]);

/** @param network for the roles of ports, and to know whether an engine should have written a state */
export function healthOf(state: State, network: Network | undefined, isAll: boolean): Health {
  const nodes = state.node ?? [];
  const tenants = state.tenant ?? [];
  const concerns = [...nodes.flatMap(node => ofNode(node, network)), ...ofTenants(tenants),
    ...(state.function ?? []).flatMap(ofFunction), ...ofPools(state)];
  concerns.sort((one, other) => Number(one.severity === "warning") - Number(other.severity === "warning"));
  if (isAll && !nodes.length && !tenants.length && ((network?.node ?? []).length || (network?.tenant ?? []).length)) {
    return { good: false, concerns, headline: "The controller has no state of the network: no engine runs. "
      + "Ask another member of the cluster, or see the controller's log." };
  }
  return { good: !concerns.length, concerns, headline: concerns.length
    ? attention(concerns, nodes.length, tenants.length) : allRight(nodes.length, tenants.length, isAll) };
}

function allRight(nodes: number, tenants: number, isAll: boolean): string {
  const active = tenants === 0 ? "no tenant is configured"
    : tenants === 1 ? "1 tenant is active" : `${isAll ? "" : "all "}${many(tenants, "tenant")} are active`;
  if (!isAll) {
    return `${active.charAt(0).toUpperCase()}${active.slice(1)}.`;
  }
  return nodes === 0 ? `No node is configured, and ${active}.`
    : nodes === 1 ? `1 node is in sync, and ${active}.` : `All ${nodes} nodes are in sync, and ${active}.`;
}

function attention(concerns: readonly Concern[], nodes: number, tenants: number): string {
  const counted = (kinds: readonly string[]): number =>
    new Set(concerns.filter(each => kinds.includes(each.kind)).flatMap(each => each.names)).size;
  const of = (number: number, all: number, noun: string): string[] =>
    number ? [`${grouped(number)} of ${many(all, noun)}`] : [];
  const plain = (number: number, noun: string): string[] => number ? [many(number, noun)] : [];
  const parts = [...of(counted(["node"]), nodes, "node"), ...of(counted(["tenant"]), tenants, "tenant"),
    ...plain(counted(["port"]), "port"), ...plain(counted(["function"]), "function"),
    ...plain(counted(["pool"]), "pool")];
  const last = parts.pop() ?? "";
  const single = parts.length === 0 && last.startsWith("1 ");
  return `${parts.length ? `${parts.join(", ")} and ` : ""}${last} ${single ? "needs" : "need"} attention.`;
}

function ofNode(node: NodeState, network: Network | undefined): Concern[] {
  const found: Concern[] = [];
  const add = (severity: Concern["severity"], text: string): void => {
    found.push({ severity, kind: "node", names: [node.name], text });
  };
  if (!node.connected || node["database-connected"] === false) {
    const lost = [...node.connected ? [] : ["switch"], ...node["database-connected"] === false ? ["database"] : []];
    add("error", `its ${lost.join(" and its ")} ${lost.length > 1 ? "are" : "is"} not connected`);
  } else if (!node["in-sync"]) {
    add("warning", "its switch has not confirmed yet all that is configured");
  }
  const differences = (["missing", "excess", "wrong"] as const).map(kind => [kind, node[`${kind}-flows`] ?? 0] as const)
    .filter(([, number]) => number > 0).map(([kind, number]) => `${grouped(number)} ${kind}`);
  if (differences.length) {
    add("warning", `its flows differ from the plan: ${differences.join(", ")}`);
  }
  if (node.warning) {
    add("warning", node.warning);
  }
  if (node.connected && !node.dpdk) {
    add("warning", "its switch runs without DPDK");
  }
  const configured = network?.node?.find(each => each.name === node.name);
  const roles = new Map(configured?.port?.map(port => [port.name, port.role]));
  for (const port of node.port ?? []) {
    const name = `${node.name}/${port.name}`;
    if (port.error) {
      found.push({ severity: "error", kind: "port", names: [name], text: port.error });
    } else if (port.up === false && roles.get(port.name) !== "service" && roles.has(port.name)) {
      // Ports of functions are reported with their functions.
      found.push({ severity: "warning", kind: "port", names: [name], text: "it has no link" });
    }
  }
  return found;
}

/** A node that is away stops thousands of tenants for one reason, which is told once. */
function ofTenants(tenants: readonly TenantState[]): Concern[] {
  const groups = new Map<string, TenantState[]>();
  for (const tenant of tenants) {
    if (tenant.status !== "active") {
      const key = JSON.stringify([tenant.status, tenant.reason]);
      groups.set(key, [...groups.get(key) ?? [], tenant]);
    }
  }
  return [...groups.values()].map(group => {
    const { status = "of unknown status", reason } = group[0] as TenantState;
    return { severity: ERRORS.has(status) ? "error" : "warning", kind: "tenant",
      names: group.map(each => each.name).sort(), text: reason && !reason.startsWith(status)
        ? `${status}: ${reason}` : reason ?? status };
  });
}

function ofFunction(each: FunctionState): Concern[] {
  if (each.status !== "up") {
    return [{ severity: each.status === "down" ? "error" : "warning", kind: "function", names: [each.name],
      text: each.status === "down" ? "no instance of it can get packets" : "its node is not connected" }];
  }
  return (each.instance ?? []).flatMap(instance => {
    const reasons = [...instance["ports-up"] === false ? ["has a port without a link"] : [],
      ...instance["answers-probes"] === false ? ["does not answer probes"] : []];
    return reasons.length ? [{ severity: "warning" as const, kind: "function" as const, names: [each.name],
      text: `instance ${instance.name} ${reasons.join(" and ")}` }] : [];
  });
}

function ofPools(state: State): Concern[] {
  return (state.pool ?? []).flatMap(pool => {
    const isFull = count(pool.size) > 0n && count(pool.used) >= count(pool.size);
    return isFull || percent(pool.used, pool.size) >= ALMOST_FULL ? [{ severity: isFull ? "error" as const : "warning",
      kind: "pool" as const, names: [pool.name], text: isFull ? "no address is left"
        : `${grouped(pool.used)} of ${grouped(pool.size)} addresses are used` }] : [];
  });
}
