// SPDX-License-Identifier: Apache-2.0
/** The text of a document: what is wrong with it, and where its leaves are. Pure functions. */
import {
  findNodeAtLocation, getLocation, parseTree, printParseErrorCode, type Node, type ParseError,
} from "jsonc-parser";
import type { Json } from "./edits";

/** Something that is wrong with a document. */
export interface Problem {
  readonly message: string;
  /** Part of the text that it is about. */
  readonly offset: number;
  readonly length: number;
}

/** The document of a text, or what is wrong with the text. */
export function parsed(text: string): { readonly value: Json; readonly tree: Node } | { readonly problem: Problem } {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { disallowComments: true });
  const [first] = errors;
  if (first || !tree) {
    const what = first ? spoken(printParseErrorCode(first.error)) : "value expected";
    return { problem: { message: `This is no JSON: ${what}`, offset: first?.offset ?? 0, length: first?.length ?? 0 } };
  }
  const twice = duplicate(tree);
  if (twice) {
    const { value, offset, length } = twice;
    return { problem: { message: `${String(value)} is there twice`, offset, length } };
  }
  return { value: JSON.parse(text) as Json, tree };
}

/** "CommaExpected": "comma expected". */
function spoken(code: string): string {
  return code.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
}

/** A member name that its object has a second time. JSON.parse would drop the first one. */
function duplicate(node: Node): Node | undefined {
  const names = new Set<unknown>();
  for (const child of node.children ?? []) {
    const name = node.type === "object" ? child.children?.[0] : undefined;
    if (name && names.has(name.value)) {
      return name;
    }
    names.add(name?.value);
    const below = duplicate(child);
    if (below) {
      return below;
    }
  }
  return undefined;
}

const STEP = /([^/[\]]+)((?:\[[^\]=]+=(?:'[^']*'|"[^"]*")\])*)/g;
const PREDICATE = /\[([^\]=]+)=(?:'([^']*)'|"([^"]*)")\]/g;

/** Where the leaf of an error-path is in the text; else the entry or container that should have it. */
export function placeOf(path: string, tree: Node): { readonly offset: number; readonly length: number } {
  let node = tree;
  // The first two steps are the network and the tenant, which the text is.
  for (const [, name = "", predicates = ""] of [...path.matchAll(STEP)].slice(2)) {
    const member = findNodeAtLocation(node, [name.slice(name.indexOf(":") + 1)]);
    if (!member) {
      break;
    }
    const keys = [...predicates.matchAll(PREDICATE)].map(([, key = "", single, double]) =>
      [key, single ?? double ?? ""]);
    const entry = keys.length ? member.children?.find(each => keys.every(([key = "", value]) =>
      String(findNodeAtLocation(each, [key])?.value) === value)) : member;
    node = entry ?? member;
    if (!entry) {
      break;
    }
  }
  return { offset: node.offset, length: Math.min(node.length, 80) };
}

/** Number of the line of an offset, from 0. */
export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length - 1;
}

/** Names of members that lead to a place of the text, without the numbers of entries. */
export function namesAt(text: string, offset: number): readonly string[] {
  return getLocation(text, offset).path.filter((part): part is string => typeof part === "string" && part !== "");
}
