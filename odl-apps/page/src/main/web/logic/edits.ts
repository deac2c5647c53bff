// SPDX-License-Identifier: Apache-2.0
/** Changes of a tenant's configuration: pure functions of documents and the model. */
import type { SchemaNode } from "../api/schema";

export type Json = null | boolean | number | string | readonly Json[] | Document;
export interface Document {
  readonly [name: string]: Json;
}

/** An edit of a YANG Patch (RFC 8072), without its edit-id. */
export interface Edit {
  readonly operation: "create" | "merge" | "replace" | "delete";
  readonly target: string;
  readonly value?: Document;
}

export function isDocument(value: unknown): value is Document {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether two values are the same, in whatever order their members are. */
export function same(one: Json | undefined, other: Json | undefined): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((each, number) => same(each as Json, other[number] as Json));
  }
  if (isDocument(one) && isDocument(other)) {
    const names = Object.keys(one);
    return names.length === Object.keys(other).length
      && names.every(name => Object.hasOwn(other, name) && same(one[name], other[name]));
  }
  return one === other;
}

/** The keys of an entry of a list as one text; undefined if they are not all there. */
export function keyOf(entry: Json, node: SchemaNode): string | undefined {
  const values = (node.keys ?? []).map(key => isDocument(entry) ? entry[key] : undefined);
  return values.every(value => typeof value === "string" || typeof value === "number")
    ? values.map(value => encodeURIComponent(String(value))).join(",") : undefined;
}

/** Entries by their keys; undefined if it is no list, or one entry has no keys or those of another one. */
export function entriesOf(list: Json | undefined, node: SchemaNode): ReadonlyMap<string, Document> | undefined {
  if (list === undefined) {
    return new Map();
  }
  const found = new Map<string, Document>();
  for (const entry of Array.isArray(list) ? list as readonly Json[] : [null]) {
    const key = keyOf(entry, node);
    if (key === undefined || found.has(key)) {
      return undefined;
    }
    found.set(key, entry as Document);
  }
  return found;
}

/** The same document with members in the order of the model, and entries in that of their keys. */
export function arranged(value: Json, node: SchemaNode | undefined): Json {
  if (Array.isArray(value)) {
    const all = (value as readonly Json[]).map(each => arranged(each, node));
    const isFree = node && !node.ordered && all.every(each => node.kind !== "list" || keyOf(each, node) !== undefined);
    const text = (each: Json): string => node?.kind === "list" ? keyOf(each, node) ?? "" : JSON.stringify(each);
    return isFree ? all.sort((one, other) => text(one) < text(other) ? -1 : 1) : all;
  }
  if (!isDocument(value)) {
    return value;
  }
  const order = Object.keys(node?.below ?? {});
  const place = (name: string): number => order.includes(name) ? order.indexOf(name) : order.length;
  return Object.fromEntries(Object.keys(value).sort((one, other) => place(one) - place(other))
    .map(name => [name, arranged(value[name] as Json, node?.below?.[name])]));
}

/**
 * The edits that make one document of another, each of the nearest container or entry: what another client changes
 * elsewhere in the tenant stays, and an account that may change only a part of it is not refused.
 *
 * @param target path of the document below the data
 * @param before undefined if there is none
 */
export function editsOf(target: string, before: Document | undefined, after: Document, node: SchemaNode): Edit[] {
  const last = target.slice(target.lastIndexOf("/") + 1).split("=", 1)[0] ?? "";
  const name = `penstock:${last}`;
  const wrapped = (value: Document): Document => ({ [name]: node.kind === "list" ? [value] : value });
  if (before === undefined) {
    return [{ operation: "create", target, value: wrapped(after) }];
  }
  const keys = Object.fromEntries((node.keys ?? []).map(key => [key, after[key] as Json]));
  const deleted: Edit[] = [];
  const below: Edit[] = [];
  const merged: Record<string, Json> = {};
  for (const member of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, wanted] = [before[member], after[member]];
    const child = node.below?.[member];
    if (same(old, wanted)) {
      continue;
    }
    if (child?.kind === "list") {
      const entries = listEdits(`${target}/${member}`, old, wanted, child);
      if (!entries) {
        return [{ operation: "replace", target, value: wrapped(after) }];
      }
      deleted.push(...entries.filter(edit => edit.operation === "delete"));
      below.push(...entries.filter(edit => edit.operation !== "delete"));
    } else if (child?.kind === "leaf-list") {
      // RESTCONF deletes no single value.
      const [had, has] = [old ?? [], wanted ?? []];
      if (child.ordered || !Array.isArray(had) || !Array.isArray(has)
          || had.some(each => !has.includes(each as Json))) {
        return [{ operation: "replace", target, value: wrapped(after) }];
      }
      merged[member] = has.filter(each => !had.includes(each as Json)) as Json;
    } else if (wanted === undefined) {
      deleted.push({ operation: "delete", target: `${target}/${member}` });
    } else if (child?.kind === "container" && isDocument(old) && isDocument(wanted)) {
      const inside = editsOf(`${target}/${member}`, old, wanted, child);
      deleted.push(...inside.filter(edit => edit.operation === "delete"));
      below.push(...inside.filter(edit => edit.operation !== "delete"));
    } else {
      merged[member] = wanted;
    }
  }
  return [...deleted, ...Object.keys(merged).length
    ? [{ operation: "merge" as const, target, value: wrapped({ ...keys, ...merged }) }] : [], ...below];
}

/** Edits of the entries of a list; undefined if the list can only be written as a whole. */
function listEdits(target: string, before: Json | undefined, after: Json | undefined, node: SchemaNode):
    Edit[] | undefined {
  const [old, wanted] = [entriesOf(before, node), entriesOf(after, node)];
  if (!old || !wanted) {
    return undefined;
  }
  const kept = (these: ReadonlyMap<string, Document>, those: ReadonlyMap<string, Document>): string[] =>
    [...these.keys()].filter(key => those.has(key));
  const isAppended = [...wanted.keys()].slice(0, old.size).every(key => old.has(key));
  if (node.ordered && (!isAppended || !same(kept(old, wanted), kept(wanted, old)))) {
    return undefined;
  }
  return [...[...old.keys()].filter(key => !wanted.has(key)).map(key =>
    ({ operation: "delete" as const, target: `${target}=${key}` })),
  ...[...wanted].flatMap(([key, entry]) => editsOf(`${target}=${key}`, old.get(key), entry, node))];
}
