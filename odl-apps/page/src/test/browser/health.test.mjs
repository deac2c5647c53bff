// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { isSeenWell, opened, rows } from "./browser.mjs";
import { request, state } from "./controller.mjs";

test("the first view agrees with the controller", async t => {
  const page = await opened(t);
  await page.getByRole("heading", { name: "Pools" }).waitFor();
  const { node = [], tenant = [], pool = [], function: functions = [] } = await state();
  const headline = await page.getByRole("heading", { level: 1 }).textContent();
  const isGood = node.every(each => each.connected && each["in-sync"] && each.dpdk && !each.warning)
    && tenant.every(each => each.status === "active")
    && functions.every(each => each.status === "up");
  assert.match(headline, isGood ? /(node is|nodes are) in sync, and .* active\.$/ : /attention\.$/);
  assert.equal(await page.getByRole("heading", { name: "What needs attention" }).count(), isGood ? 0 : 1);
  assert.deepEqual((await rows(page, "Nodes")).map(row => row.slice(0, 4)), node.sort((one, other) =>
    one.name < other.name ? -1 : 1).map(each => [each.name, each.connected ? "connected" : "not connected",
    each["in-sync"] ? "yes" : "no", String(each["planned-flows"])]));
  assert.deepEqual((await rows(page, "Tenants by status")).reduce((sum, row) => sum + Number(row[1]), 0), tenant.length);
  assert.deepEqual((await rows(page, "Pools")).map(row => row.slice(0, 2)),
    pool.map(each => [each.name, `${each.used} of ${each.size}`]));
  await isSeenWell(page, "health");
});

test("a change is shown as it happens", async t => {
  const page = await opened(t);
  await page.getByText("None yet.").waitFor();
  const path = `data/ietf-access-control-list:acls/acl=pg-${process.pid}`;
  await request("PUT", path, { "ietf-access-control-list:acl": [{ name: `pg-${process.pid}`, type:
    "ietf-access-control-list:ipv4-acl-type" }] });
  await request("DELETE", path);
  await page.locator(".events li", { hasText: "configuration-event" }).filter({ hasText: `pg-${process.pid}` }).first()
    .waitFor();
});
