// SPDX-License-Identifier: Apache-2.0
/** Two changes of one document, brought together: a pure function. */
import type { SchemaNode } from "../api/schema";
import { entriesOf, isDocument, same, type Document, type Json } from "./edits";

export interface Merged {
  readonly value: Json | undefined;
  /** Paths that both have changed, each in another way. The value has ours. */
  readonly conflicts: readonly string[];
}

/** @param base what both changes began with */
export function merge(base: Json | undefined, ours: Json | undefined, theirs: Json | undefined,
    node: SchemaNode | undefined, path = ""): Merged {
  if (same(ours, base) || same(ours, theirs)) {
    return { value: theirs, conflicts: [] };
  }
  if (same(theirs, base)) {
    return { value: ours, conflicts: [] };
  }
  if (isDocument(ours) && isDocument(theirs)) {
    return members(isDocument(base) ? base : {}, ours, theirs, name => node?.below?.[name], path);
  }
  const lists = node?.kind === "list" && !node.ordered && Array.isArray(ours) && Array.isArray(theirs)
    ? [base, ours, theirs].map(each => entriesOf(each, node)) : [];
  const [old, our, their] = lists;
  if (old && our && their) {
    const found = members(Object.fromEntries(old), Object.fromEntries(our), Object.fromEntries(their),
      () => node && { ...node, kind: "container" }, path);
    return { value: Object.values(found.value as Document), conflicts: found.conflicts };
  }
  return { value: ours, conflicts: [path] };
}

function members(base: Document, ours: Document, theirs: Document, below: (name: string) => SchemaNode | undefined,
    path: string): Merged {
  const found: Record<string, Json> = {};
  const conflicts: string[] = [];
  for (const name of new Set([...Object.keys(theirs), ...Object.keys(ours), ...Object.keys(base)])) {
    const own = (of: Document): Json | undefined => Object.hasOwn(of, name) ? of[name] : undefined;
    const one = merge(own(base), own(ours), own(theirs), below(name), `${path}/${decodeURIComponent(name)}`);
    conflicts.push(...one.conflicts);
    if (one.value !== undefined) {
      found[name] = one.value;
    }
  }
  return { value: found, conflicts };
}
