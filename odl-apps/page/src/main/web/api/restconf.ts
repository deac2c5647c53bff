// SPDX-License-Identifier: Apache-2.0
/** Requests to RESTCONF in the name of the login. */
import { end, login, type Login } from "./session";

/** A rule that a request breaks, and the leaf: an error-path of RFC 8040, or "". */
export interface Violation {
  readonly message: string;
  readonly path: string;
}

/** The controller has answered with an error. Its message is for people. */
export class Refused extends Error {
  constructor(readonly status: number, readonly tag: string, message: string,
      readonly violations: readonly Violation[] = []) {
    super(message);
  }
}

/** There was no answer. */
export class Unreachable extends Error {}

/** The login ended while the answer was on its way: the answer is discarded. */
export class Outdated extends Error {}

const TYPE = "application/yang-data+json";
const PATCH_TYPE = "application/yang-patch+json";
/** Begins the message of a refused YANG Patch; all of its edits are one change to us. */
const EDITS = /^edits? [^:]+: /;
/** Of an answer. An RPC that reads switches takes some seconds at most. */
const PATIENCE_MILLISECONDS = 20_000;

/** The path of a list entry: list names as they are, keys percent-encoded once. */
export function entry(list: string, key: string): string {
  return `${list}=${encodeURIComponent(key)}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The error of an answer (RFC 8040, section 7.1). */
export function refusalOf(status: number, text: string): Refused {
  try {
    const body: unknown = JSON.parse(text);
    const errors = isRecord(body) ? body["errors"] ?? body["ietf-restconf:errors"] : undefined;
    const list = isRecord(errors) ? errors["error"] : undefined;
    const first: unknown = Array.isArray(list) ? list[0] : list;
    if (isRecord(first)) {
      const message = first["error-message"];
      const info = first["error-info"];
      return new Refused(status, String(first["error-tag"] ?? ""), typeof message === "string" && message
        ? message : typeof info === "string" ? info : `the controller answers ${status}`, Array.isArray(list)
        ? list.filter(isRecord).map(each => ({ message: String(each["error-message"] ?? each["error-tag"] ?? "")
          .replace(EDITS, ""), path: String(each["error-path"] ?? "") })) : []);
    }
  } catch {
    // An answer of something between us and the controller.
  }
  return new Refused(status, "", `the controller answers ${status}`);
}

/**
 * Sends a request with credentials.
 *
 * @returns the body; undefined when there is none
 * @throws Refused, Unreachable
 */
export async function send(by: Login, method: string, path: string, body?: unknown, type = TYPE): Promise<unknown> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(`/rests/${path}`, {
      method,
      // The browser adds none of its own, and shows no dialog of its own.
      credentials: "omit",
      cache: "no-store",
      referrerPolicy: "no-referrer",
      headers: { Authorization: by.authorization, Accept: TYPE,
        ...(body === undefined ? {} : { "Content-Type": type }) },
      signal: AbortSignal.timeout(PATIENCE_MILLISECONDS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    text = await response.text();
  } catch (error) {
    throw new Unreachable(error instanceof DOMException && error.name === "TimeoutError"
      ? `no answer within ${PATIENCE_MILLISECONDS / 1000} s` : "no connection");
  }
  if (!response.ok) {
    throw refusalOf(response.status, text);
  }
  try {
    return text ? JSON.parse(text) as unknown : undefined;
  } catch {
    throw new Unreachable("the answer is no JSON: something else than the controller answers");
  }
}

/** Sends a request of the login; a login that is not valid any more ends. */
async function request(method: string, path: string, body?: unknown, type?: string): Promise<unknown> {
  const by = login.value;
  if (!by) {
    throw new Outdated();
  }
  try {
    const answer = await send(by, method, path, body, type);
    if (by !== login.value) {
      throw new Outdated();
    }
    return answer;
  } catch (error) {
    if (by !== login.value) {
      throw new Outdated();
    }
    if (error instanceof Refused && error.status === 401) {
      end(by, `The controller does not accept the login of ${by.user} any more: its password or account has changed.`);
      throw new Outdated();
    }
    throw error;
  }
}

/** Reads data; undefined when there are none. */
export async function read<T>(path: string): Promise<T | undefined> {
  try {
    const body = await request("GET", `data/${path}`);
    return isRecord(body) ? Object.values(body)[0] as T : undefined;
  } catch (error) {
    if (error instanceof Refused && (error.tag === "data-missing" || error.status === 404)) {
      return undefined;
    }
    throw error;
  }
}

/** Carries out edits by a YANG Patch (RFC 8072): all of them, or none. */
export async function edit(edits: readonly object[]): Promise<void> {
  await request("PATCH", "data", { "ietf-yang-patch:yang-patch": { "patch-id": "page",
    edit: edits.map((each, number) => ({ "edit-id": String(number + 1), ...each })) } }, PATCH_TYPE);
}

/** Calls an RPC of penstock-operations. Leaves that are undefined are left out. Without output it answers {}. */
export async function call<T extends object>(name: string, input: Record<string, unknown> = {}): Promise<Partial<T>> {
  const body = await request("POST", `operations/penstock-operations:${name}`, { "penstock-operations:input": input });
  const output = isRecord(body) ? body["penstock-operations:output"] : undefined;
  return (isRecord(output) ? output : {}) as Partial<T>;
}

/** What to tell of an error. */
export function textOf(error: unknown): string {
  return error instanceof Error && error.message ? error.message : String(error);
}
