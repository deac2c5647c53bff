// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { entry, refusalOf } from "../../main/web/api/restconf";
import { loginOf } from "../../main/web/api/session";

test.each([
  ['{"errors":{"error":[{"error-tag":"access-denied","error-message":"no"}]}}', "access-denied", "no"],
  ['{"ietf-restconf:errors":{"error":[{"error-tag":"invalid-value","error-message":"vlan is not in 1..4094"}]}}',
    "invalid-value", "vlan is not in 1..4094"],
  ['{"errors":{"error":[{"error-tag":"t","error-info":"more"}]}}', "t", "more"],
  ['{"errors":{"error":[]}}', "", "the controller answers 500"],
  ["<html>", "", "the controller answers 500"],
  ["null", "", "the controller answers 500"],
  ["", "", "the controller answers 500"],
])("%s", (body, tag, message) => {
  const error = refusalOf(500, body);
  expect([error.status, error.tag, error.message]).toEqual([500, tag, message]);
});

test("credentials are in UTF-8", () => {
  expect(loginOf("jörg", "pässwört €:x").authorization).toBe("Basic asO2cmc6cMOkc3N3w7ZydCDigqw6eA==");
});

test("keys are percent-encoded once", () => {
  expect(entry("tenant", "a/b,c%")).toBe("tenant=a%2Fb%2Cc%25");
});
