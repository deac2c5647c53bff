// SPDX-License-Identifier: Apache-2.0
/** Reads, checks and stores the configuration of one tenant. */
import { edit, entry, read, Refused, type Violation } from "../api/restconf";
import { TENANT } from "../api/schema";
import { arranged, editsOf, isDocument, same, type Document, type Edit } from "../logic/edits";
import { merge } from "../logic/merge";

/** How storing has ended. */
export type Stored =
  | { readonly kind: "stored"; readonly now: Document }
  | { readonly kind: "refused"; readonly violations: readonly Violation[] }
  /** Another client has changed the tenant since it was read: nothing was stored. */
  | {
    readonly kind: "changed"; readonly now: Document | undefined; readonly merged: Document;
    readonly conflicts: readonly string[];
  };

function target(tenant: string): string {
  return `/penstock:network/${entry("tenant", tenant)}`;
}

/** The tenant as it is stored; undefined if there is none. */
export async function stored(tenant: string): Promise<Document | undefined> {
  const list = await read<readonly Document[]>(`penstock:network/${entry("tenant", tenant)}?content=config`);
  const first = list?.[0];
  return first && arranged(first, TENANT) as Document;
}

/**
 * What the controller says against a change, without storing it. RESTCONF has no such request. The controller refuses a
 * change as a whole and names each rule that it breaks; so an edit that always breaks one goes with it: a new tenant
 * that names a list that there is not.
 */
export async function check(tenant: string, before: Document | undefined, after: Document):
    Promise<readonly Violation[]> {
  const name = `check-${[...crypto.getRandomValues(new Uint32Array(4))].map(each => each.toString(36)).join("-")}`;
  const broken: Edit = { operation: "create", target: target(name),
    value: { "penstock:tenant": [{ name, "egress-acl": name }] } };
  try {
    await edit([...editsOf(target(tenant), before, after, TENANT), broken]);
  } catch (error) {
    if (error instanceof Refused && error.status === 400 && error.violations.some(each => each.path || each.message)) {
      return error.violations.filter(each => !`${each.path} ${each.message}`.includes(name));
    }
    return violationsOf(error);
  }
  await edit([{ operation: "delete", target: target(name) }]);
  throw new Error("the controller has stored what it was asked to check: look at the audit log");
}

/** @throws what is no refusal of the change */
function violationsOf(error: unknown): readonly Violation[] {
  if (error instanceof Refused && error.status !== 403) {
    return error.violations.length ? error.violations : [{ message: error.message, path: "" }];
  }
  throw error;
}

/**
 * Stores a change of what was read before. It sends what differs alone, so that another client's change of other leaves
 * stays even if it comes in the very moment.
 */
export async function store(tenant: string, before: Document | undefined, after: Document): Promise<Stored> {
  const now = await stored(tenant);
  if (!same(now, before)) {
    return changed(before, after, now);
  }
  try {
    await edit(editsOf(target(tenant), before, after, TENANT));
  } catch (error) {
    if (error instanceof Refused && error.status === 409) {
      // An entry was made or deleted since the reading above.
      const later = await stored(tenant);
      if (!same(later, before)) {
        return changed(before, after, later);
      }
    }
    return { kind: "refused", violations: violationsOf(error) };
  }
  return { kind: "stored", now: await stored(tenant) ?? after };
}

function changed(before: Document | undefined, after: Document, now: Document | undefined): Stored {
  const { value, conflicts } = now === undefined ? { value: after, conflicts: [] } : merge(before, after, now, TENANT);
  return { kind: "changed", now, merged: arranged(isDocument(value) ? value : after, TENANT) as Document, conflicts };
}
