// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { isAccessible, isSeenWell, opened, picture, rows } from "./browser.mjs";
import { call, network } from "./controller.mjs";

test("chains agree with the controller", async t => {
  const page = await opened(t, { fragment: "#/chains" });
  const { chain } = await network();
  for (const each of chain) {
    const section = page.getByRole("region", { name: `Chain ${each.name}`, exact: false });
    const hops = section.locator(".way > li > b");
    await hops.first().waitFor();
    assert.deepEqual(await hops.allTextContents(), each.function);
    await section.getByText(/packets were sent to its functions, [0-9,.]+ \/s\./).waitFor();
  }
  const { function: functions } = await call("status");
  for (const { name, function: hops } of chain) {
    for (const each of functions.filter(one => hops.includes(one.name))) {
      assert.deepEqual((await rows(page, `Instances of ${each.name} in chain ${name}`)).map(row => [row[0], row[2]]),
        each.instance.map(one => [one.name, one.process]));
    }
  }
  await isSeenWell(page, "chains");
});

test("a tenant's chain is verified in the switch", async t => {
  const { tenant, chain } = await network();
  const { name, chain: own } = tenant.find(each => each.chain);
  const page = await opened(t, { fragment: `#/tenant/${name}`, expected: ["400"] });
  await page.getByRole("link", { name: "functions of its chains" }).click();
  await page.getByRole("heading", { level: 1, name: `of tenant ${name}` }).waitFor();
  assert.deepEqual(await page.locator("h2", { hasText: /^Chain / }).allTextContents(), [`Chain ${own} `]);
  const input = { tenant: name, "source-address": "10.0.0.10", "source-port": 40000, "destination-address":
    "198.51.100.10", "destination-port": 443, protocol: "tcp" };
  await page.getByLabel("Host of the tenant").fill(input["source-address"]);
  await page.getByLabel("Destination").fill(input["destination-address"]);
  await page.getByRole("button", { name: "Trace" }).click();
  const answer = await call("chain-trace", input);
  const result = page.locator(".result");
  await result.getByText(answer.verdict, { exact: true }).waitFor();
  assert.deepEqual(await result.getByRole("listitem").locator("b").allTextContents(),
    [...answer.outbound.hop ?? [], ...answer.inbound.hop ?? []].map(hop => hop.function));
  assert.deepEqual((answer.outbound.hop ?? []).map(hop => hop.function), chain.find(each => each.name === own).function);
  await picture(page, "chains-tenant");
  await isAccessible(page);
  await page.getByLabel("Host of the tenant").fill("<b>x</b>");
  await page.getByRole("button", { name: "Trace" }).click();
  await page.locator(".fault").waitFor();
});
