// SPDX-License-Identifier: Apache-2.0
/** Answers of the RPCs nat-usage, status and chain-trace of penstock-operations, as far as the page reads them. */
import type { Counter } from "./model";

export interface NatUsage {
  readonly pool: readonly {
    readonly name: string;
    readonly addresses?: Counter;
    readonly used?: Counter;
    readonly drain?: readonly { readonly prefix: string; readonly tenant?: readonly string[] }[];
  }[];
  readonly "port-block": readonly PortBlocks[];
}

export interface PortBlocks {
  readonly tenant: string;
  readonly "inside-prefix": string;
  readonly "public-prefix"?: string;
  readonly subscribers?: number;
  readonly blocks?: number;
  readonly used?: number;
  readonly address?: readonly {
    readonly address: string;
    readonly used?: number;
    readonly draining?: boolean;
    readonly "empty-in-seconds"?: number;
  }[];
  readonly top?: readonly { readonly subscriber: string; readonly used?: number }[];
}

export interface Status {
  readonly chain: readonly ChainStatus[];
  readonly function: readonly FunctionStatus[];
}

export interface ChainStatus {
  readonly name: string;
  readonly function?: readonly string[];
  readonly "branch-function"?: readonly string[];
  readonly packets?: Counter;
}

export interface FunctionStatus {
  readonly name: string;
  readonly state?: string;
  readonly instance?: readonly InstanceStatus[];
  readonly canary?: readonly Canary[];
}

export interface InstanceStatus {
  readonly name: string;
  readonly state?: string;
  readonly process?: string;
  readonly "packets-in"?: Counter;
  readonly "packets-out"?: Counter;
  readonly probes?: {
    readonly sent?: number;
    readonly lost?: number;
    /** Microseconds. */
    readonly "mean-round-trip"?: number;
  };
}

export interface Canary {
  readonly version: string;
  readonly state?: string;
  readonly configured?: boolean;
  readonly "seconds-left"?: number;
  readonly reason?: string;
  readonly decided?: string;
  readonly "old-version"?: Side;
  readonly "new-version"?: Side;
}

export interface Side {
  readonly instance?: readonly string[];
  readonly "packets-in"?: Counter;
  /** Percent, as text. */
  readonly dropped?: string;
  readonly loss?: string;
}

export interface Trace {
  readonly node?: string;
  readonly outbound?: TracedWay;
  readonly inbound?: TracedWay;
  readonly verdict?: string;
  readonly reason?: string;
}

export interface TracedWay {
  readonly chain?: string;
  readonly rule?: string;
  readonly hop?: readonly {
    readonly function: string;
    readonly instance?: string;
    readonly reason?: string;
    readonly "port-to"?: string;
    readonly "port-from"?: string;
  }[];
}
