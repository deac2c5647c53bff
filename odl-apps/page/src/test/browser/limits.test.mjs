// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { isAccessible, isSeenWell, opened, picture, rows } from "./browser.mjs";
import { call, state } from "./controller.mjs";

test("limits agree with the controller", async t => {
  const page = await opened(t, { fragment: "#/limits" });
  await page.getByText(/^Read \d+ s ago\. /).waitFor();
  const { tenant, pool, node } = await state();
  const usage = await call("nat-usage");
  assert.deepEqual((await rows(page, "Quotas of tenants")).map(row => row[0]).sort(), tenant.flatMap(each =>
    each.node.map(() => each.name)).sort());
  assert.deepEqual(await rows(page, "Pools of public addresses"), pool.map(({ name, used, size }) => [name,
    `${Math.floor(100 * used / size)} % ${used} of ${size}`, String(size - used)]));
  assert.deepEqual((await rows(page, "Nodes by load")).map(row => row.slice(0, 2)), node.map(each => [each.name,
    String(tenant.filter(one => one.node.some(at => at.name === each.name)).length)]));
  assert.equal((await rows(page, "Port blocks")).length, usage["port-block"]?.length ?? 0);
  await isSeenWell(page, "limits");
});

test("what is at a limit comes first, with a word beside the colour", async t => {
  const tenant = Array.from({ length: 1000 }, (_, number) => ({ name: `customer-${number}`, status: "active",
    "bound-leases": number === 700 ? 4096 : 1, node: [{ name: "edge1", sessions: number === 800 ? "45000" : "10",
      ...number === 900 ? { limited: [{ meter: "new-sessions", "dropped-packets": "1234" }] } : {} }] }));
  const page = await opened(t, { fragment: "#/limits", answers: {
    "**/rests/data/penstock-state:state?content=nonconfig": { json: { "penstock-state:state": { node: [{ name: "edge1" }],
      tenant, pool: [{ name: "public", used: "15", size: "16" }] } } },
    "**/operations/penstock-operations:nat-usage": { json: { "penstock-operations:output": { pool: [{ name: "public",
      drain: [{ prefix: "203.0.113.0/30", tenant: ["customer-1"] }] }], "port-block": [{ tenant: "customer-2",
      "inside-prefix": "100.64.0.0/16", "public-prefix": "198.51.100.0/24", subscribers: 9, blocks: 100, used: 97,
      address: [{ address: "198.51.100.1", used: 60, draining: true, "empty-in-seconds": 3600 }],
      top: [{ subscriber: "100.64.0.9", used: 4 }] }] } } } } });
  await page.getByRole("heading", { level: 1, name: "1 pool is used to 80 % or more, and 2 tenants use 80 % or more of a "
    + "quota, and limits have dropped packets of 1 tenant." }).waitFor();
  const first = (await rows(page, "Quotas of tenants")).slice(0, 3);
  assert.deepEqual(first.map(row => row[0]), ["customer-700", "customer-800", "customer-900"]);
  assert.equal(first[0][3], "100 % 4,096 of 4,096");
  assert.equal(first[1][2], "90 % 45,000 of 50,000");
  assert.equal(first[2][4], "new-sessions: 1,234");
  await page.getByText("950 further tenants use 0 % of each quota at most.").waitFor();
  await page.getByText("1 tenant still has an address of it.").waitFor();
  assert.deepEqual(await rows(page, "Port blocks"), [["customer-2", "9 in 100.64.0.0/16",
    "198.51.100.0/24, 198.51.100.1 drains, empty in some 1 h", "97 % 97 of 100", "198.51.100.1: 60", "100.64.0.9: 4"]]);
  await picture(page, "limits-full");
  await isAccessible(page, ".heat-3, .heat-4");
});
