// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { NodeState, State } from "../../main/web/api/model";
import { healthOf } from "../../main/web/logic/health";

const NODE: NodeState = { name: "edge1", connected: true, "database-connected": true, "in-sync": true, dpdk: "DPDK 22.11",
  "planned-flows": 282, "missing-flows": 0, "excess-flows": 0, "wrong-flows": 0 };
const GOOD: State = { node: [NODE], tenant: [{ name: "red", status: "active" }],
  function: [{ name: "fw1", status: "up", instance: [{ name: "fw1", "ports-up": true, "answers-probes": true }] }],
  pool: [{ name: "public", size: "16", used: "3" }] };

const texts = (state: State): string[] => healthOf(state, undefined, true).concerns.map(each =>
  `${each.severity} ${each.kind} ${each.names.join(" ")}: ${each.text}`);

test("all is right", () => {
  expect(healthOf(GOOD, undefined, true)).toEqual({ good: true, concerns: [],
    headline: "1 node is in sync, and 1 tenant is active." });
  expect(healthOf({ ...GOOD, node: [NODE, { ...NODE, name: "edge2" }], tenant: ["a", "b", "c"].map(name =>
    ({ name, status: "active" })) }, undefined, true).headline)
    .toBe("All 2 nodes are in sync, and 3 tenants are active.");
  expect(healthOf({ node: [NODE] }, undefined, true).headline).toBe("1 node is in sync, and no tenant is configured.");
  expect(healthOf({ tenant: [{ name: "red", status: "active" }] }, undefined, false).headline)
    .toBe("1 tenant is active.");
});

test.each<[string, Partial<NodeState>]>([
  ["error node edge1: its switch is not connected", { connected: false, "in-sync": false }],
  ["error node edge1: its database is not connected", { "database-connected": false }],
  ["error node edge1: its switch and its database are not connected", { connected: false, "database-connected": false }],
  ["warning node edge1: its switch has not confirmed yet all that is configured", { "in-sync": false }],
  ["warning node edge1: its flows differ from the plan: 1,200 missing, 2 wrong", { "missing-flows": 1200, "wrong-flows": 2 }],
  ["warning node edge1: another version", { warning: "another version" }],
  ["error port edge1/up0: no such device", { port: [{ name: "up0", up: false, error: "no such device" }] }],
])("%s", (text, change) => {
  expect(texts({ ...GOOD, node: [{ ...NODE, ...change }] })).toEqual([text]);
});

test("a switch without DPDK is reported", () => {
  const { dpdk: _, ...without } = NODE;
  expect(texts({ ...GOOD, node: [without] })).toEqual(["warning node edge1: its switch runs without DPDK"]);
});

test("ports without a link are reported where hosts or the backbone are", () => {
  const node = { ...NODE, port: [{ name: "acc0", up: false }, { name: "svc0", up: false }, { name: "other", up: false }] };
  const network = { node: [{ name: "edge1", port: [{ name: "acc0", role: "access" }, { name: "svc0", role: "service" }] }] };
  expect(healthOf({ ...GOOD, node: [node] }, network, true).concerns.map(each => each.names)).toEqual([["edge1/acc0"]]);
});

test("a lost node is one reason for all its tenants", () => {
  const tenant = Array.from({ length: 1000 }, (_, number) => ({ name: `t${number}`, status: "waiting",
    reason: "waiting for node edge1" }));
  const health = healthOf({ node: [{ ...NODE, connected: false }], tenant }, undefined, true);
  expect(health.concerns.map(each => [each.severity, each.kind, each.names.length, each.text])).toEqual([
    ["error", "node", 1, "its switch is not connected"], ["warning", "tenant", 1000, "waiting for node edge1"]]);
  expect(health.headline).toBe("1 of 1 node and 1,000 of 1,000 tenants need attention.");
});

test("errors come first", () => {
  expect(texts({ ...GOOD, tenant: [{ name: "a", status: "degraded", reason: "function fw1 is bypassed" },
    { name: "b", status: "failed", reason: "no address is left" }] })).toEqual([
    "error tenant b: failed: no address is left", "warning tenant a: degraded: function fw1 is bypassed"]);
});

test("functions and pools", () => {
  expect(texts({ ...GOOD, function: [{ name: "fw1", status: "down" }, { name: "fw2", status: "up", instance: [
    { name: "a", "ports-up": false, "answers-probes": false }, { name: "b", "ports-up": true }] }],
  pool: [{ name: "full", size: "2", used: "2" }, { name: "high", size: "100", used: "90" }, { name: "none", size: "0",
    used: "0" }] })).toEqual(["error function fw1: no instance of it can get packets", "error pool full: no address is left",
    "warning function fw2: instance a has a port without a link and does not answer probes",
    "warning pool high: 90 of 100 addresses are used"]);
});

test("one thing alone needs attention", () => {
  expect(healthOf({ ...GOOD, pool: [{ name: "full", size: "2", used: "2" }] }, undefined, true).headline)
    .toBe("1 pool needs attention.");
});

test("no state of a network that is configured is not good", () => {
  const health = healthOf({}, { node: [{ name: "edge1" }] }, true);
  expect(health.good).toBe(false);
  expect(health.headline).toContain("no engine runs");
  expect(healthOf({}, {}, true)).toMatchObject({ good: true, headline: "No node is configured, and no tenant is configured." });
});
