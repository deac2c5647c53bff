// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { State } from "../../main/web/api/model";
import { defaultOf, schemaAt } from "../../main/web/api/schema";
import { headline, heat, nodeUses, tenantUses, useOf } from "../../main/web/logic/limits";

const state = (sessions: string, limited?: string, leases = 0): State => ({ node: [{ name: "edge1" }, { name: "edge2" }],
  tenant: [{ name: "idle", node: [{ name: "edge1", sessions: "0" }] }, { name: "red", "bound-leases": leases,
    node: [{ name: "edge1", sessions, ...limited ? { limited: [{ meter: "out", "dropped-packets": limited },
      { meter: "in", "dropped-packets": "0" }] } : {} }] }], pool: [{ name: "public", used: "1", size: "16" }] });

test("defaults are those of the model", () => {
  expect(defaultOf("quota", "sessions")).toBe(50_000);
  expect(defaultOf("quota", "bandwidth-out")).toBe(0);
  expect(schemaAt(["attachment", "vlan"])?.type).toBe("uint16 1..4094");
  expect(schemaAt(["constructor"])).toBeUndefined();
});

test("a quota of its own counts, and the default without", () => {
  expect(tenantUses(state("40000"), undefined)[0]).toMatchObject({ name: "red", percent: 80, sessions: { size: 50_000n } });
  const network = { tenant: [{ name: "red", quota: { sessions: 100_000, leases: 10 } }] };
  expect(tenantUses(state("40000", undefined, 9), network)[0]).toMatchObject({ percent: 90, sessions: { percent: 40 } });
  expect(tenantUses(state("40000"), { tenant: [{ name: "red", quota: { sessions: "unlimited" } }] })
    .map(use => [use.name, use.percent, use.sessions?.size])).toEqual([["idle", 0, 50_000n], ["red", 0, undefined]]);
});

test("sessions that are not counted are no zero", () => {
  expect(tenantUses({ tenant: [{ name: "red", node: [{ name: "edge1" }] }] }, undefined)[0]?.sessions).toBeUndefined();
});

test.each<[string, State]>([
  ["All pools and quotas are used to less than 80 %, and no limit has dropped a packet.", state("39999", "0")],
  ["1 tenant uses 80 % or more of a quota.", state("40000")],
  ["Limits have dropped packets of 1 tenant.", state("1", "7")],
  ["1 pool is used to 80 % or more, and 1 tenant uses 80 % or more of a quota, and limits have dropped packets of 1 tenant.",
    { ...state("49999", "7"), pool: [{ name: "public", used: "16", size: "16" }] }],
])("%s", (text, of) => {
  expect(headline(of, tenantUses(of, undefined))).toBe(text);
});

test("nodes have the sum of their tenants", () => {
  const of = state("41000", "18446744073709551615");
  expect(nodeUses(of, tenantUses(of, undefined))).toEqual([
    { name: "edge1", tenants: 2, sessions: 41_000n, near: 1, dropped: 18_446_744_073_709_551_615n },
    { name: "edge2", tenants: 0, sessions: 0n, near: 0, dropped: 0n }]);
});

test("shares", () => {
  expect(useOf("17", 16)).toMatchObject({ percent: 100 });
  expect(useOf("0", 0)).toMatchObject({ percent: 0, size: 0n });
  expect([0, 1, 49, 50, 79, 80, 94, 95, 100].map(heat)).toEqual([0, 1, 1, 2, 2, 3, 3, 4, 4]);
});
