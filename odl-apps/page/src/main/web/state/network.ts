// SPDX-License-Identifier: Apache-2.0
/** What is known of the network, read again and again while an account is logged in. */
import { signal } from "@preact/signals";
import { entry, read, Refused, textOf, Outdated } from "../api/restconf";
import type { Network, State, Tenant, TenantState } from "../api/model";
import type { Event } from "../logic/events";
import { drafts } from "./drafts";

/** The state, and the time of this computer's steady clock at which it came, in milliseconds. */
export interface Reading {
  readonly state: State;
  readonly at: number;
}

export const reading = signal<Reading | undefined>(undefined);
export const network = signal<Network | undefined>(undefined);
/** Why the last reading failed; empty when it did not. */
export const trouble = signal("");
/** The steady clock, a second exact, for ages. */
export const now = signal(performance.now());
/** The newest first. */
export const events = signal<readonly Event[]>([]);
/** Why no events are listened to; empty when they are. */
export const deaf = signal("");
/** The tenants that the account may see; undefined when it sees all. */
export const own = signal<readonly string[] | undefined>(undefined);

const STATE = "penstock-state:state";
const CONFIGURATION = "penstock:network";
const MOST_EVENTS = 500;

/** Forgets all: it may be another's. */
export function forget(): void {
  reading.value = undefined;
  network.value = undefined;
  trouble.value = "";
  events.value = [];
  deaf.value = "";
  own.value = undefined;
  drafts.clear();
}

/** Reads the state once. */
export async function readState(): Promise<void> {
  try {
    const state = own.value === undefined ? await readAll() : await readOwn(own.value);
    reading.value = { state, at: performance.now() };
    trouble.value = "";
  } catch (error) {
    if (!(error instanceof Outdated)) {
      trouble.value = textOf(error);
    }
  }
}

async function readAll(): Promise<State> {
  try {
    return await read<State>(`${STATE}?content=nonconfig`) ?? {};
  } catch (error) {
    if (error instanceof Refused && error.status === 403) {
      // The role tenant: docs/access.md. The controller tells of no list of its tenants.
      own.value = own.value ?? [];
      return {};
    }
    throw error;
  }
}

async function readOwn(names: readonly string[]): Promise<State> {
  const found = await Promise.all(names.map(name =>
    read<readonly TenantState[]>(`${STATE}/${entry("tenant", name)}?content=nonconfig`)));
  return { tenant: found.flatMap(list => list ?? []) };
}

/** Reads the configuration once; without it, views lack what only that has. */
export async function readConfiguration(): Promise<void> {
  try {
    network.value = own.value === undefined ? await read<Network>(`${CONFIGURATION}?content=config`) ?? {}
      : { tenant: (await Promise.all(own.value.map(name => read<readonly Tenant[]>(
        `${CONFIGURATION}/${entry("tenant", name)}?content=config`)))).flatMap(list => list ?? []) };
  } catch (error) {
    if (!(error instanceof Outdated) && !(error instanceof Refused && error.status === 403)) {
      trouble.value = textOf(error);
    }
  }
}

/** Adds an event. */
export function tell(event: Event): void {
  events.value = [event, ...events.value].slice(0, MOST_EVENTS);
}
