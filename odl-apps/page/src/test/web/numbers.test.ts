// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { byNumber } from "../../main/web/logic/drops";
import { count, duration, grouped, localTime, many, percent } from "../../main/web/logic/numbers";

test("counters of 64 bits stay exact", () => {
  expect(grouped("18446744073709551615")).toBe("18,446,744,073,709,551,615");
  expect(count(undefined)).toBe(0n);
  expect(count("no number")).toBe(0n);
});

test.each([[0, "0 s"], [-3, "0 s"], [59.9, "59 s"], [60, "1 min"], [185, "3 min 5 s"], [7800, "2 h 10 min"],
  [90_000, "1 d 1 h"], [86_400 * 400, "400 d"], [3601, "1 h"]])("%d s are %s", (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});

test("nouns have their number", () => {
  expect([many(0, "node"), many(1, "node"), many(1000, "node")]).toEqual(["0 nodes", "1 node", "1,000 nodes"]);
});

test("a share is 0 of nothing, and 100 at most", () => {
  expect([percent("3", "0"), percent("3", undefined), percent("3", "16"), percent("20", "16")]).toEqual([0, 0, 18, 100]);
});

test("a time that is none stays as it is", () => {
  expect(localTime("soon")).toBe("soon");
  expect(localTime(undefined)).toBe("");
  expect(localTime("2026-11-27T18:57:15.940Z")).toMatch(/^2026-11-2\d \d\d:\d\d:\d\d$/);
});

test("the largest counter comes first, and equal ones keep their order", () => {
  const all = [{ name: "a", of: "9" }, { name: "b", of: "18446744073709551615" }, { name: "c", of: "10" },
    { name: "d", of: "9" }];
  expect(byNumber(all, each => each.of).map(each => each.name)).toEqual(["b", "c", "a", "d"]);
});
