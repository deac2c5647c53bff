// SPDX-License-Identifier: Apache-2.0
/** Parts of the models that the page reads. Lists are absent when empty; 64-bit numbers are text (RFC 7951). */

export type Counter = string | number | undefined;

/** penstock-state:state */
export interface State {
  readonly node?: readonly NodeState[];
  readonly tenant?: readonly TenantState[];
  readonly function?: readonly FunctionState[];
  readonly pool?: readonly { readonly name: string; readonly size?: Counter; readonly used?: Counter }[];
}

export interface NodeState {
  readonly name: string;
  readonly connected?: boolean;
  readonly "database-connected"?: boolean;
  readonly since?: string;
  readonly "in-sync"?: boolean;
  readonly "open-vswitch"?: string;
  readonly dpdk?: string;
  readonly warning?: string;
  readonly "planned-flows"?: number;
  readonly "missing-flows"?: number;
  readonly "excess-flows"?: number;
  readonly "wrong-flows"?: number;
  readonly "last-compared"?: string;
  readonly "dropped-packets"?: Counter;
  readonly repairs?: number;
  readonly "last-repair"?: string;
  readonly port?: readonly { readonly name: string; readonly up?: boolean; readonly error?: string }[];
}

export interface TenantState {
  readonly name: string;
  readonly status?: string;
  readonly reason?: string;
  readonly since?: string;
  readonly id?: number;
  readonly "public-address"?: string;
  readonly pool?: string;
  readonly "public-prefix"?: readonly {
    readonly kind: string;
    readonly "inside-prefix": string;
    readonly "public-prefix"?: string;
    readonly "used-blocks"?: number;
  }[];
  readonly attachment?: readonly Attachment[];
  readonly chain?: string;
  readonly node?: readonly {
    readonly name: string;
    readonly vrf?: number;
    readonly sessions?: Counter;
    readonly "dropped-packets"?: Counter;
    readonly "guarded-packets"?: Counter;
    readonly limited?: readonly { readonly meter: string; readonly "dropped-packets"?: Counter }[];
  }[];
  readonly "bound-leases"?: number;
  readonly "port-blocks"?: number;
}

export interface Attachment {
  readonly name: string;
  readonly node?: string;
  readonly port?: string;
  readonly vlan?: number;
}

export interface FunctionState {
  readonly name: string;
  readonly status?: string;
  readonly since?: string;
  readonly instance?: readonly {
    readonly name: string;
    readonly "ports-up"?: boolean;
    readonly "answers-probes"?: boolean;
  }[];
}

/** penstock:network */
export interface Network {
  readonly node?: readonly {
    readonly name: string;
    readonly port?: readonly { readonly name: string; readonly role?: string }[];
  }[];
  readonly tenant?: readonly Tenant[];
  readonly function?: readonly NetworkFunction[];
  readonly chain?: readonly {
    readonly name: string;
    readonly function?: readonly string[];
    readonly branch?: { readonly at?: string; readonly function?: readonly string[] };
  }[];
}

export interface NetworkFunction {
  readonly name: string;
  readonly node?: string;
  readonly "fail-policy"?: string;
  readonly mirror?: boolean;
  readonly nsh?: boolean;
  readonly routed?: object;
  readonly "second-output"?: boolean;
  readonly instance?: readonly { readonly name: string; readonly weight?: number }[];
}

export interface Tenant {
  readonly name: string;
  readonly attachment?: readonly Attachment[];
  readonly subnet?: readonly { readonly name: string; readonly prefix?: string; readonly gateway?: string }[];
  readonly ipv6?: { readonly subnet?: readonly { readonly prefix?: string }[] };
  readonly nat?: {
    readonly "public-address"?: string;
    readonly pool?: string;
    readonly "one-to-one"?: readonly { readonly "inside-prefix": string; readonly "public-prefix"?: string }[];
    readonly "port-forward"?: readonly PortForward[];
  };
  readonly chain?: string;
  readonly "chain-rule"?: readonly { readonly name: string; readonly chain?: string }[];
  /** Numbers, or the word unlimited. */
  readonly quota?: Readonly<Record<string, number | string>>;
}

export interface PortForward {
  readonly name: string;
  readonly protocol?: string;
  readonly "public-port"?: number;
  readonly "inside-address"?: string;
  readonly "inside-port"?: number;
}

/** Answers of RPCs. */
export interface Flow {
  readonly node: string;
  readonly table?: string;
  readonly label?: string;
  readonly packets?: Counter;
  readonly text?: string;
  readonly "last-dropped"?: { readonly time?: string; readonly text?: string };
}

export interface Lease {
  readonly tenant: string;
  readonly address: string;
  readonly state?: string;
  readonly mac?: string;
  readonly attachment?: string;
  readonly "host-name"?: string;
  readonly expires?: string;
}

export interface Host {
  readonly node?: string;
  readonly attachment?: string;
  readonly mac?: string;
  readonly address?: readonly string[];
  readonly age?: number;
}

export interface Limit {
  readonly node: string;
  readonly meter: string;
  readonly unit?: string;
  readonly rate?: number;
  readonly "passed-packets"?: Counter;
  readonly "dropped-packets"?: Counter;
}

export interface Why {
  readonly cause: string;
  readonly answer: string;
  readonly remedy: string;
  readonly step: readonly Step[];
}

export interface Step {
  readonly stage: string;
  readonly verdict: string;
  readonly cause?: string;
  readonly text?: string;
  readonly remedy?: string;
}
