// SPDX-License-Identifier: Apache-2.0
/** Keeps what is known up to date while an account is logged in. */
import { effect, untracked } from "@preact/signals";
import { login, restore, type Login } from "../api/session";
import { deaf, forget, now, own, readConfiguration, readState, tell } from "./network";
import { listen } from "./listen";

/** The controller computes the state ten times a second at most; people need it less often. */
const STATE_MILLISECONDS = 4000;
const CONFIGURATION_MILLISECONDS = 60_000;
/** After an event: what it tells of comes into the state a moment later. */
const SOON_MILLISECONDS = 300;

/** Begins; once for the page. */
export function follow(): void {
  restore();
  setInterval(() => {
    now.value = performance.now();
  }, 1000);
  effect(() => {
    const by = login.value;
    const stop = new AbortController();
    untracked(forget);
    if (by) {
      // What it reads on its way must not begin it again.
      untracked(() => void work(by, stop.signal));
    }
    return () => stop.abort();
  });
}

async function work(by: Login, stop: AbortSignal): Promise<void> {
  let wanted = false;
  let configured = -Infinity;
  let wake = (): void => undefined;
  const soon = (isConfiguration: boolean): void => {
    configured = isConfiguration ? -Infinity : configured;
    setTimeout(() => {
      wanted = true;
      wake();
    }, SOON_MILLISECONDS);
  };
  const seen = (): void => {
    if (!document.hidden) {
      soon(false);
    }
  };
  document.addEventListener("visibilitychange", seen, { signal: stop });
  // The computer has lost its network, or has one again.
  addEventListener("online", seen, { signal: stop });
  addEventListener("offline", seen, { signal: stop });
  void listen(by, stop, event => {
    tell(event);
    soon(event.name === "configuration-event");
  }, text => {
    deaf.value = text;
  });
  while (!stop.aborted) {
    wanted = false;
    // A page that is in the background costs the controller nothing but its stream.
    if (!document.hidden) {
      await readState();
      if (!stop.aborted && (performance.now() - configured >= CONFIGURATION_MILLISECONDS)) {
        configured = performance.now();
        await readConfiguration();
      }
    }
    if (!stop.aborted && !wanted) {
      await new Promise<void>(resolve => {
        wake = resolve;
        setTimeout(resolve, STATE_MILLISECONDS);
      });
    }
  }
}

/** Adds a tenant to those that an account of the role tenant looks at. */
export async function lookAt(tenant: string): Promise<void> {
  own.value = [...new Set([...own.value ?? [], tenant])];
  await readState();
  await readConfiguration();
}
