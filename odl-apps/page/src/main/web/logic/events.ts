// SPDX-License-Identifier: Apache-2.0
/** Server-sent events, and what they say. */

export interface Event {
  readonly time: string;
  /** Name of the notification, without its module. */
  readonly name: string;
  readonly text: string;
  /** Tenants that it names. */
  readonly tenants: readonly string[];
}

/** Longest event. A longer one is no event of the controller. */
const MOST_CHARACTERS = 1_000_000;

/** Takes a stream of server-sent events apart. It knows `data` alone, which is all that the controller sends. */
export class EventReader {
  private rest = "";
  private data: string[] = [];

  /** @returns the data of the events that are complete with this part of the stream */
  read(part: string): string[] {
    const lines = (this.rest + part).split("\n");
    this.rest = lines.pop() ?? "";
    if (this.rest.length > MOST_CHARACTERS) {
      throw new Error("an event has no end");
    }
    const found: string[] = [];
    for (const line of lines.map(each => each.endsWith("\r") ? each.slice(0, -1) : each)) {
      if (line === "" && this.data.length) {
        found.push(this.data.join("\n"));
        this.data = [];
      } else if (line.startsWith("data:")) {
        this.data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
      }
    }
    return found;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An event of its JSON (RFC 8040, section 6.4); undefined if it is none. */
export function eventOf(json: string): Event | undefined {
  let body: unknown;
  try {
    body = JSON.parse(json);
  } catch {
    return undefined;
  }
  const notification = isRecord(body) ? body["ietf-restconf:notification"] : undefined;
  if (!isRecord(notification)) {
    return undefined;
  }
  const found = Object.entries(notification).find(([name, value]) => name.includes(":") && isRecord(value));
  if (!found) {
    return undefined;
  }
  const name = found[0].slice(found[0].indexOf(":") + 1);
  const leaves = found[1] as Record<string, unknown>;
  return { time: String(notification["event-time"] ?? ""), name, text: textOf(name, leaves),
    tenants: tenantsOf(name, leaves) };
}

function tenantsOf(name: string, leaves: Record<string, unknown>): readonly string[] {
  const named = name === "status-event" ? leaves["kind"] === "tenant" ? leaves["name"] : undefined : leaves["tenant"];
  return (Array.isArray(named) ? named : [named]).filter((each): each is string => typeof each === "string");
}

function textOf(name: string, leaves: Record<string, unknown>): string {
  if (name === "status-event") {
    const reason = leaves["reason"] === undefined ? "" : ` (${String(leaves["reason"])})`;
    return `${String(leaves["kind"])} ${String(leaves["name"])}: ${String(leaves["status"])}, before `
      + `${String(leaves["former-status"])}${reason}`;
  }
  if (name === "configuration-event") {
    const paths = Array.isArray(leaves["path"]) ? leaves["path"].map(String).join(", ") : "";
    return `${String(leaves["user"] ?? "several users")} changed the configuration: ${paths}`;
  }
  return Object.entries(leaves).map(([leaf, value]) =>
    `${leaf} ${Array.isArray(value) ? value.map(String).join(", ") : String(value)}`).join(", ");
}
