// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { isAccessible, opened, picture } from "./browser.mjs";
import { network, state } from "./controller.mjs";

test("a tenant is found by what a customer knows", async t => {
  const page = await opened(t, { fragment: "#/find" });
  const { tenant: tenants } = await state();
  const tenant = tenants.find(each => each["public-address"]);
  const { tenant: configured } = await network();
  const gateway = configured.find(each => each.name === tenant.name).subnet[0].gateway;
  const box = page.getByRole("searchbox");
  const found = page.getByRole("region", { name: "Tenants found" }).getByRole("link");
  for (const text of [tenant.name, tenant["public-address"], String(tenant.attachment[0].vlan), tenant.attachment[0].port,
    gateway]) {
    await box.fill(text);
    await found.filter({ hasText: new RegExp(`^${tenant.name}$`) }).waitFor();
    if (text === tenant["public-address"] || text === tenant.name) {
      assert.equal(await found.first().textContent(), tenant.name);
    }
  }
  await picture(page, "find");
  await isAccessible(page);
  await box.fill("203.0.113.300");
  await page.getByText("0 tenants").waitFor();
  await isAccessible(page);
});

test("a status selects", async t => {
  const page = await opened(t, { fragment: "#/find" });
  const { tenant: tenants } = await state();
  const { status } = tenants[0];
  await page.getByLabel("Status").selectOption(status);
  const number = tenants.filter(each => each.status === status).length;
  await page.getByText(`${number} tenant${number === 1 ? "" : "s"}`, { exact: true }).waitFor();
  await page.getByLabel("Status").selectOption(status === "failed" ? "stopped" : "failed");
  await page.getByText("0 tenants").waitFor();
});
