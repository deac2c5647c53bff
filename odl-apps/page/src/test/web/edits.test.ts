// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { TENANT } from "../../main/web/api/schema";
import { arranged, editsOf, same, type Document } from "../../main/web/logic/edits";
import { merge } from "../../main/web/logic/merge";

const RED: Document = { name: "red", attachment: [{ name: "office", node: "edge1", port: "acc0", vlan: 100 }],
  subnet: [{ name: "lan", prefix: "10.0.0.0/24", gateway: "10.0.0.1", attachment: ["office"] }], nat: { pool: "public" } };
const T = "/penstock:network/tenant=red";

const edits = (after: Document, before: Document | undefined = RED): unknown[] => editsOf(T, before, after, TENANT)
  .map(edit => [edit.operation, edit.target.slice(T.length), ...edit.value ? [edit.value] : []]);

test("nothing is sent of what is the same", () => {
  expect(edits(structuredClone(RED))).toEqual([]);
  expect(edits(Object.fromEntries(Object.entries(RED).reverse()))).toEqual([]);
});

test("a new tenant is created, and not written over one that another client has made", () => {
  expect(editsOf(T, undefined, RED, TENANT)).toEqual([{ operation: "create", target: T, value: { "penstock:tenant": [RED] } }]);
});

test("a leaf is sent with its entry alone", () => {
  expect(edits({ ...RED, attachment: [{ name: "office", node: "edge1", port: "acc0", vlan: 101 }] })).toEqual([
    ["merge", "/attachment=office", { "penstock:attachment": [{ name: "office", vlan: 101 }] }]]);
  expect(edits({ ...RED, stateful: true, quota: { sessions: 100 } })).toEqual([
    ["merge", "", { "penstock:tenant": [{ name: "red", stateful: true, quota: { sessions: 100 } }] }]]);
});

test("another kind of source NAT first deletes the one before", () => {
  expect(edits({ ...RED, nat: { "public-address": "203.0.113.9" } })).toEqual([["delete", "/nat/pool"],
    ["merge", "/nat", { "penstock:nat": { "public-address": "203.0.113.9" } }]]);
});

test("entries are created and deleted, with odd keys", () => {
  const branch = { name: "a/b ,'ö", node: "edge1", port: "acc0", vlan: 7 };
  expect(edits({ ...RED, attachment: [branch] })).toEqual([["delete", "/attachment=office"],
    ["create", "/attachment=a%2Fb%20%2C'%C3%B6", { "penstock:attachment": [branch] }]]);
  const { nat: _, ...without } = RED;
  expect(edits(without)).toEqual([["delete", "/nat"]]);
});

test("a value that leaves a leaf-list has its entry written as a whole", () => {
  const subnet = { name: "lan", prefix: "10.0.0.0/24", gateway: "10.0.0.1" };
  expect(edits({ ...RED, subnet: [subnet] })).toEqual([["replace", "/subnet=lan", { "penstock:subnet": [subnet] }]]);
  expect(edits({ ...RED, subnet: [{ ...subnet, attachment: ["office", "branch"] }] })).toEqual([
    ["merge", "/subnet=lan", { "penstock:subnet": [{ name: "lan", attachment: ["branch"] }] }]]);
});

test("what is not of the model is sent, so that the controller tells of it", () => {
  expect(edits({ ...RED, nope: 1 })).toEqual([["merge", "", { "penstock:tenant": [{ name: "red", nope: 1 }] }]]);
  for (const attachment of ["none", [{ vlan: 1 }], [{ name: "a" }, { name: "a" }]]) {
    expect(edits({ ...RED, attachment })).toEqual([["replace", "", { "penstock:tenant": [{ ...RED, attachment }] }]]);
  }
  expect(edits({ ...RED, nat: [] })).toEqual([["merge", "", { "penstock:tenant": [{ name: "red", nat: [] }] }]]);
});

test("members of odd names are members", () => {
  const odd = JSON.parse('{"name": "red", "__proto__": {"x": 1}, "constructor": 2}') as Document;
  expect(same(odd, { name: "red" })).toBe(false);
  expect(editsOf(T, { name: "red" }, odd, TENANT)).toHaveLength(1);
});

test("documents stand in the order of the model", () => {
  const mixed = { nat: { pool: "public" }, nope: 1, attachment: [{ vlan: 2, name: "b" }, { name: "a" }], name: "red" };
  expect(JSON.stringify(arranged(mixed, TENANT))).toBe(
    '{"name":"red","attachment":[{"name":"a"},{"name":"b","vlan":2}],"nat":{"pool":"public"},"nope":1}');
});

test("two changes of different leaves are brought together", () => {
  const ours = { ...RED, nat: { pool: "other" }, attachment: [...RED["attachment"] as [], { name: "b", vlan: 2 }] };
  const theirs = { ...RED, stateful: true, attachment: [{ name: "office", node: "edge1", port: "acc0", vlan: 9 }] };
  expect(merge(RED, ours, theirs, TENANT)).toEqual({ conflicts: [], value: { ...RED, nat: { pool: "other" }, stateful: true,
    attachment: [{ name: "office", node: "edge1", port: "acc0", vlan: 9 }, { name: "b", vlan: 2 }] } });
});

test("of one leaf that both have changed ours stays, and is reported", () => {
  const vlan = (of: number): Document => ({ ...RED, attachment: [{ name: "office", node: "edge1", port: "acc0", vlan: of }] });
  expect(merge(RED, vlan(7), vlan(8), TENANT)).toEqual({ value: vlan(7), conflicts: ["/attachment/office/vlan"] });
  expect(merge(RED, vlan(7), vlan(7), TENANT).conflicts).toEqual([]);
});

test("an entry that one has deleted and the other changed is reported", () => {
  const changed = { ...RED, attachment: [{ name: "office", node: "edge1", port: "acc0", vlan: 7 }] };
  const { attachment: _, ...deleted } = RED;
  expect(merge(RED, changed, { ...deleted, attachment: [] }, TENANT).conflicts).toEqual(["/attachment/office"]);
  expect(merge(RED, { ...deleted }, changed, TENANT)).toMatchObject({ conflicts: ["/attachment"] });
  expect(merge(RED, RED, deleted, TENANT)).toEqual({ value: deleted, conflicts: [] });
});
