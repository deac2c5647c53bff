// SPDX-License-Identifier: Apache-2.0
/**
 * The model of a tenant. tenant-model.json is made of the YANG by docs/tests/schema.py; test_schema.py there compares.
 */
import model from "./tenant-model.json";

export interface SchemaNode {
  readonly kind: string;
  /** Of a leaf: a type of YANG, with its range or its values. */
  readonly type?: string;
  readonly units?: string;
  readonly default?: string;
  readonly description?: string;
  /** Of a list. */
  readonly keys?: readonly string[];
  /** Whether the order of entries means something. */
  readonly ordered?: boolean;
  readonly below?: Readonly<Record<string, SchemaNode>>;
}

export const TENANT: SchemaNode = model;

/** The node at a path of names below the tenant; undefined if the model has none. */
export function schemaAt(names: readonly string[]): SchemaNode | undefined {
  return names.reduce<SchemaNode | undefined>((node, name) =>
    node?.below && Object.hasOwn(node.below, name) ? node.below[name] : undefined, TENANT);
}

/** The default of a leaf as a number; 0 if it has none. */
export function defaultOf(...names: string[]): number {
  return Number(schemaAt(names)?.default ?? 0);
}
