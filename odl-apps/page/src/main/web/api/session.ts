// SPDX-License-Identifier: Apache-2.0
/** The login of this tab. */
import { signal } from "@preact/signals";

/** An account with its password, as a request sends them. */
export interface Login {
  readonly user: string;
  /** Value of the header Authorization (RFC 7617, UTF-8). */
  readonly authorization: string;
}

/** Who is logged in; undefined shows the form. */
export const login = signal<Login | undefined>(undefined);
/** A sentence for the form: why a login has ended. */
export const ended = signal("");

/**
 * The storage of this tab alone, which ends with the tab: a reload of the page or a step back to it needs no new login.
 * No other tab or site reads it, and no script but ours runs here, by the content security policy.
 */
const KEY = "penstock-login";

/** The credentials of a request. */
export function loginOf(user: string, password: string): Login {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return { user, authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` };
}

/** Takes the login of this tab that a reload has left. */
export function restore(): void {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
    if (kept && typeof kept === "object" && "user" in kept && "authorization" in kept
        && typeof kept.user === "string" && typeof kept.authorization === "string") {
      login.value = { user: kept.user, authorization: kept.authorization };
    }
  } catch {
    sessionStorage.removeItem(KEY);
  }
}

/** Begins with a login that the controller has accepted. */
export function begin(accepted: Login): void {
  sessionStorage.setItem(KEY, JSON.stringify(accepted));
  ended.value = "";
  login.value = accepted;
}

/** Ends a login, unless another one has begun since. */
export function end(of: Login | undefined, why: string): void {
  if (login.value === of) {
    sessionStorage.removeItem(KEY);
    ended.value = why;
    login.value = undefined;
  }
}
