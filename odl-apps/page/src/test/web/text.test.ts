// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { lineOf, namesAt, parsed, placeOf } from "../../main/web/logic/text";

const TEXT = `{
  "name": "red",
  "attachment": [
    { "name": "a", "vlan": 1 },
    { "name": "b'c/d", "vlan": 2 }
  ]
}`;

function at(path: string): string {
  const found = parsed(TEXT);
  if (!("tree" in found)) {
    throw new Error("no document");
  }
  const { offset, length } = placeOf(path, found.tree);
  return `${lineOf(TEXT, offset) + 1}: ${TEXT.slice(offset, offset + length).replaceAll(/\s+/g, " ").slice(0, 20)}`;
}

test.each([
  ["/penstock:network/tenant[name='red']/attachment[name='a']/vlan", "4: 1"],
  ["/penstock:network/tenant[name='red']/attachment[name=\"b'c/d\"]/vlan", "5: 2"],
  ["/penstock:network/penstock:tenant[name='red']/penstock:attachment[name='a']/penstock:port", '4: { "name": "a", "vlan'],
  ["/penstock:network/tenant[name='red']/attachment[name='none']/vlan", '3: [ { "name": "a", "vl'],
  ["/penstock:network/tenant[name='red']/nat/pool", '1: { "name": "red", "at'],
  ["", '1: { "name": "red", "at'],
])("%s is at %s", (path, place) => {
  expect(at(path)).toBe(place);
});

test.each([
  ["", "This is no JSON: value expected"],
  ['{"a": 1,}', "This is no JSON: property name expected"],
  ['{"a": 1 "b": 2}', "This is no JSON: comma expected"],
  ["{} // x", "This is no JSON: invalid comment token"],
  ['{"a": {"b": 1, "b": 2}}', "b is there twice"],
])("%s: %s", (text, message) => {
  expect(parsed(text)).toMatchObject({ problem: { message } });
});

test("the names that lead to a place", () => {
  expect(namesAt(TEXT, TEXT.indexOf("2 }"))).toEqual(["attachment", "vlan"]);
  expect(namesAt(TEXT, 0)).toEqual([]);
});
