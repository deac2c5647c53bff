// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { Network, State } from "../../main/web/api/model";
import { chainsHeadline, chainsOf, isRight, rate } from "../../main/web/logic/chains";

const NETWORK: Network = {
  function: [{ name: "fw1", node: "edge1", "fail-policy": "closed", instance: [{ name: "a", weight: 3 }, { name: "b" }] },
    { name: "tap", node: "edge1", mirror: true, "fail-policy": "open" }, { name: "ids", "second-output": true }],
  chain: [{ name: "plain", function: ["tap"] }, { name: "branched", function: ["ids", "tap"], branch: { at: "ids",
    function: ["fw1"] } }],
  tenant: [{ name: "red", chain: "plain" }, { name: "blue", "chain-rule": [{ name: "web", chain: "branched" }] }],
};
const state = (b: boolean): State => ({ function: [{ name: "fw1", status: "up", instance: [{ name: "a", "ports-up": true },
  { name: "b", "ports-up": true, "answers-probes": b }] }, { name: "tap", status: "up", instance: [{ name: "tap" }] },
{ name: "ids", status: "up" }] });

test("a chain has its functions in order, and their instances with what is known of them", () => {
  const chains = chainsOf(state(true), NETWORK, { chain: [{ name: "branched", packets: "42" }], function: [{ name: "fw1",
    instance: [{ name: "a", process: "running", "packets-in": "7" }] }] }, "");
  expect(chains.map(chain => [chain.name, chain.packets, chain.tenants, chain.hops.map(hop => hop.name)])).toEqual([
    ["branched", "42", ["blue"], ["ids", "tap"]], ["plain", undefined, ["red"], ["tap"]]]);
  const branch = chains[0]?.branch;
  expect(branch?.at).toBe("ids");
  expect(branch?.hops[0]?.instances).toMatchObject([{ name: "a", isUp: true, weight: 3, answer: { process: "running" } },
    { name: "b", isUp: true, weight: undefined, answer: undefined }]);
  expect(chains[1]?.hops[0]).toMatchObject({ kind: "mirror", failure: "bypassed when it fails", status: "up" });
  expect(chainsHeadline(chains, "")).toBe("All functions of 2 chains work.");
});

test("a chain with an instance that is down comes first", () => {
  const network = { ...NETWORK, chain: [...NETWORK.chain ?? []].reverse().map((each, number) =>
    ({ ...each, name: `${number}` })) };
  const chains = chainsOf(state(false), { ...network, chain: network.chain.reverse() }, {}, "");
  expect(chains.map(isRight)).toEqual([false, true]);
  expect(chainsHeadline(chains, "")).toBe("1 of 2 chains needs attention.");
});

test("a tenant's chains are those of its rules, too", () => {
  const chains = chainsOf(state(true), NETWORK, {}, "blue");
  expect(chains.map(chain => chain.name)).toEqual(["branched"]);
  expect(chainsHeadline(chains, "blue")).toBe("All functions of 1 chain of tenant blue work.");
  expect(chainsHeadline(chainsOf(state(true), NETWORK, {}, "green"), "green")).toBe("Packets of tenant green pass no chain.");
});

test("a function without a state does not count as right", () => {
  expect(chainsOf({}, NETWORK, {}, "red").map(isRight)).toEqual([false]);
});

test.each<[string | undefined, string | undefined, number, string]>([
  ["0", "0", 3, "0 /s"], ["10", "40", 3, "10 /s"], ["10", "12", 4, "0.5 /s"], ["18446744073709551000",
    "18446744073709551615", 1, "615 /s"], ["40", "10", 3, ""], [undefined, "10", 3, ""], ["1", "2", 0, ""],
])("from %s to %s in %i s: %s", (before, after, seconds, text) => {
  expect(rate(before, after, seconds)).toBe(text);
});
