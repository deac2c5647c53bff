// SPDX-License-Identifier: Apache-2.0
/** Accounts that may do less. The controller refuses; the page says so and shows the rest. */
import assert from "node:assert/strict";
import test from "node:test";
import { isAccessible, logIn, open, picture } from "./browser.mjs";
import { account, call, state } from "./controller.mjs";

const REFUSED = { expected: ["403"] };

test("an account of a tenant sees its tenant alone", async t => {
  const [tenant, other] = (await state()).tenant;
  const user = await account(t, "tenant", [tenant.name]);
  const page = await open(t, REFUSED);
  await logIn(page, user.name, user.password);
  await page.getByRole("heading", { name: "Your tenant" }).waitFor();
  await isAccessible(page);
  await page.getByLabel("Name of the tenant").fill(other.name);
  await page.getByRole("button", { name: "Show it" }).click();
  await page.getByRole("alert").getByText("Name a tenant of this account.").waitFor();
  await page.getByLabel("Name of the tenant").fill(tenant.name);
  await page.getByRole("button", { name: "Show it" }).click();
  await page.getByRole("heading", { level: 1, name: `Tenant ${tenant.name}` }).waitFor();
  assert.equal(await page.getByRole("link", { name: "Find a tenant" }).count(), 0);
  await page.getByRole("button", { name: "Ask why" }).click();
  const { answer } = await call("why", { tenant: tenant.name });
  await page.locator(".sentence").filter({ hasText: answer }).waitFor();
  await page.getByText(/^Read \d+ s ago\. /).nth(3).waitFor();
  await picture(page, "tenant-own");
  await isAccessible(page);
  await page.getByRole("link", { name: "Health" }).click();
  await page.getByRole("heading", { level: 1, name: tenant.status === "active" ? "1 tenant is active."
    : "1 of 1 tenant needs attention." }).waitFor();
});

test("an account of a reader may ask nothing, and sees the state", async t => {
  const user = await account(t, "reader");
  const tenant = (await state()).tenant[0];
  const page = await open(t, { ...REFUSED, fragment: `#/tenant/${tenant.name}` });
  await logIn(page, user.name, user.password);
  await page.getByRole("heading", { level: 1, name: `Tenant ${tenant.name}` }).waitFor();
  await page.getByText("This account may not ask that").nth(3).waitFor();
  await page.getByRole("button", { name: "Ask why" }).click();
  await page.locator("section", { hasText: "Why do packets not pass?" }).locator(".fault").waitFor();
  await page.getByRole("link", { name: "Find a tenant" }).click();
  await page.getByText("Leases are not searched").waitFor();
  await isAccessible(page);
});
