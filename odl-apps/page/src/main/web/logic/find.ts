// SPDX-License-Identifier: Apache-2.0
/** Finds tenants by what a customer or an operator knows of one: a pure function. */
import ipaddr from "ipaddr.js";
import type { Lease, Network, State, Tenant, TenantState } from "../api/model";

export interface Found {
  readonly tenant: TenantState;
  /** What matches, for people; empty if all match. */
  readonly because: string;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

const MAC = /^[0-9a-f]{2}([:-]?[0-9a-f]{2}){5}$/i;

/** A MAC address with colons in lower case; undefined if the text is none. */
export function macOf(text: string): string | undefined {
  const clean = text.trim().replaceAll(".", "");
  return MAC.test(clean) ? clean.replaceAll(/[:-]/g, "").toLowerCase().match(/../g)?.join(":") : undefined;
}

/** An address in full form; undefined for anything else, as "10.1", which a browser would take for one. */
export function addressOf(text: string): Address | undefined {
  const clean = text.trim();
  return ipaddr.IPv4.isValidFourPartDecimal(clean) ? ipaddr.IPv4.parse(clean)
    : clean.includes(":") && ipaddr.IPv6.isValid(clean) ? ipaddr.IPv6.parse(clean) : undefined;
}

/** Whether a prefix, or a single address, has the address in it. */
export function contains(prefix: string | undefined, address: Address): boolean {
  try {
    const text = prefix ?? "";
    const [base, length] = ipaddr.parseCIDR(text.includes("/") ? text : `${text}/${text.includes(":") ? 128 : 32}`);
    return base.kind() === address.kind() && address.match(base, length);
  } catch {
    return false;
  }
}

/**
 * The tenants that a text may mean: of names with it, of its address, MAC address, VLAN, node or port. The nearest come
 * first: equal names, then public addresses, then leases, then all else, each by name.
 *
 * @param text empty for all
 * @param status of the tenants; empty for each
 */
export function find(text: string, status: string, state: State, network: Network | undefined,
    leases: readonly Lease[]): readonly Found[] {
  const configured = new Map((network?.tenant ?? []).map(tenant => [tenant.name, tenant]));
  const asked = text.trim().toLowerCase();
  const address = addressOf(asked);
  const mac = macOf(asked);
  const ofTenant = new Map<string, Lease[]>();
  for (const lease of leases) {
    if (mac ? lease.mac?.toLowerCase() === mac : address ? lease.address === address.toString()
        : asked !== "" && lease["host-name"]?.toLowerCase().includes(asked)) {
      ofTenant.set(lease.tenant, [...ofTenant.get(lease.tenant) ?? [], lease]);
    }
  }
  const ranked: { rank: number; found: Found }[] = [];
  for (const tenant of state.tenant ?? []) {
    if (status && tenant.status !== status) {
      continue;
    }
    const match = asked === "" ? { rank: 0, because: "" }
      : matchOf(asked, address, tenant, configured.get(tenant.name), ofTenant.get(tenant.name) ?? []);
    if (match) {
      ranked.push({ rank: match.rank, found: { tenant, because: match.because } });
    }
  }
  return ranked.sort((one, other) => one.rank - other.rank
    || (one.found.tenant.name < other.found.tenant.name ? -1 : 1)).map(each => each.found);
}

function matchOf(asked: string, address: Address | undefined, tenant: TenantState, configured: Tenant | undefined,
    leases: readonly Lease[]): { rank: number; because: string } | undefined {
  const name = tenant.name.toLowerCase();
  if (name === asked) {
    return { rank: 0, because: "its name" };
  }
  if (address) {
    const because = publicMatch(address, tenant, configured);
    if (because) {
      return { rank: 1, because };
    }
  }
  const lease = leases[0];
  if (lease) {
    return { rank: 2, because: `lease of ${lease.address}${lease["host-name"] ? ` (${lease["host-name"]})` : ""}`
      + `${lease.mac ? `, ${lease.mac}` : ""}: ${lease.state ?? ""}` };
  }
  if (address) {
    const subnets = [...configured?.subnet ?? [], ...configured?.ipv6?.subnet ?? []];
    const subnet = subnets.find(each => contains(each.prefix, address));
    return subnet ? { rank: 3, because: `subnet ${subnet.prefix}` } : undefined;
  }
  if (name.includes(asked)) {
    return { rank: 3, because: "its name" };
  }
  const vlan = /^(?:vlan\s*)?(\d{1,4})$/.exec(asked)?.[1];
  for (const attachment of tenant.attachment ?? []) {
    if (vlan ? attachment.vlan === Number(vlan) : [attachment.name, attachment.node, attachment.port,
        `${attachment.node}/${attachment.port}`].some(each => each?.toLowerCase() === asked)) {
      return { rank: 3, because: `attachment ${attachment.name}: ${attachment.node}/${attachment.port}, VLAN `
        + `${attachment.vlan}` };
    }
  }
  const forward = vlan && configured?.nat?.["port-forward"]?.find(each => each["public-port"] === Number(vlan));
  return forward ? { rank: 4, because: `port forward ${forward.name}: public port ${forward["public-port"]}` }
    : undefined;
}

function publicMatch(address: Address, tenant: TenantState, configured: Tenant | undefined): string | undefined {
  if (contains(tenant["public-address"], address)) {
    return "public address of its source NAT";
  }
  const mapped = [...tenant["public-prefix"] ?? [], ...(configured?.nat?.["one-to-one"] ?? [])
    .map(each => ({ kind: "one-to-one", ...each }))].find(each => contains(each["public-prefix"], address));
  return mapped ? `public addresses ${mapped["public-prefix"]} (${mapped.kind})` : undefined;
}
