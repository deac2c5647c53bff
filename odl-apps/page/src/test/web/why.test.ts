// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { inputOf, way } from "../../main/web/logic/why";

const EMPTY = { host: "", destination: " ", port: "", protocol: "", inbound: false };

test("what is empty is left out", () => {
  expect(inputOf("red", EMPTY)).toEqual({ tenant: "red" });
  expect(inputOf("red", { host: " 10.0.0.7 ", destination: "198.51.100.10", port: "80", protocol: "udp", inbound: true }))
    .toEqual({ tenant: "red", host: "10.0.0.7", destination: "198.51.100.10", port: 80, protocol: "udp", inbound: true });
});

test.each(["x", "-1", "65536", "8 0", "1e3", "0x50"])("%s is no port", port => {
  expect(inputOf("red", { ...EMPTY, port })).toBe("The port is a number from 0 to 65535.");
});

test("a connection from outside has both ends", () => {
  expect(inputOf("red", { ...EMPTY, inbound: true, host: "198.51.100.10" })).toContain("name the external host");
});

test("the packet ends at the first step that fails", () => {
  const steps = ["passes", "unknown", "fails", "passes", "fails"].map(verdict => ({ stage: "x", verdict }));
  expect(way(steps).map(each => each.place)).toEqual(["passed", "passed", "end", "behind", "behind"]);
  expect(way(steps.slice(0, 2)).map(each => each.place)).toEqual(["passed", "passed"]);
});
