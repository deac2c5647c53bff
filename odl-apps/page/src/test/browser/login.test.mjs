// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { isAccessible, logIn, open, picture } from "./browser.mjs";
import { account, call } from "./controller.mjs";

const REFUSED = { expected: ["401"] };

test("a wrong password is reported, and is asked for again", async t => {
  const page = await open(t, REFUSED);
  await logIn(page, "admin", "not the password");
  await page.getByRole("alert").getByText("Account or password are not right.").waitFor();
  assert.equal(await page.getByLabel("Password").inputValue(), "");
  await picture(page, "login");
  await isAccessible(page);
  await logIn(page);
  await page.getByRole("heading", { name: "Nodes" }).waitFor();
});

test("a login outlives a reload, and ends with its button", async t => {
  const page = await open(t);
  await logIn(page);
  await page.getByRole("heading", { name: "Nodes" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Nodes" }).waitFor();
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  assert.deepEqual(await page.evaluate(() => [sessionStorage.length, localStorage.length, document.cookie]), [0, 0, ""]);
});

test("a changed password leads to the form, and the view stays", async t => {
  const user = await account(t, "operator");
  const page = await open(t, { ...REFUSED, fragment: "#/find?text=zzz" });
  await logIn(page, user.name, user.password);
  await page.getByText("0 tenants").waitFor();
  const password = "another password of it";
  await call("set-user", { name: user.name, password });
  await page.getByText("does not accept the login").waitFor();
  assert.equal(await page.getByText("0 tenants").count(), 0);
  await logIn(page, user.name, password);
  await page.getByText("0 tenants").waitFor();
  assert.equal(new URL(page.url()).hash, "#/find?text=zzz");
});
