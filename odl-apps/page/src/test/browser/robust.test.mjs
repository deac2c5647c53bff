// SPDX-License-Identifier: Apache-2.0
/** A controller that is away, and answers that this one cannot be made to give: very many tenants, hostile texts. */
import assert from "node:assert/strict";
import test from "node:test";
import { isAccessible, logIn, open, opened, picture } from "./browser.mjs";

const STATE = "**/rests/data/penstock-state:state?content=nonconfig";
/** The page in the place of a network with this state. */
const state = json => ({ answers: { [STATE]: { json: { "penstock-state:state": json } } } });

test("a controller that is away is reported, and the page goes on by itself", async t => {
  const page = await opened(t, { expected: ["ERR_INTERNET_DISCONNECTED"] });
  await page.context().setOffline(true);
  await page.getByRole("alert").getByText("does not answer").waitFor();
  const age = async () => Number(/(\d+) s old/.exec(await page.locator(".age").textContent())?.[1]);
  const before = await age();
  await page.waitForFunction(least => Number(/(\d+) s old/.exec(document.querySelector(".age").textContent)?.[1]) > least,
    before + 2);
  assert.ok(await page.getByRole("heading", { name: "Nodes" }).isVisible(), "what was read last is still shown");
  await picture(page, "away");
  await isAccessible(page);
  await page.context().setOffline(false);
  await page.getByText(/^Read \d+ s ago$/).waitFor();
  assert.equal(await page.getByRole("alert").count(), 0);
});

test("an answer that is not the controller's is no network without faults", async t => {
  const page = await open(t, { answers: { [STATE]: { status: 200, body: "<html>a proxy</html>" } } });
  await logIn(page);
  await page.getByRole("alert").getByText("the answer is no JSON").waitFor();
});

test("texts are texts, whatever is in them", async t => {
  const odd = '<img src=x onerror="alert(1)"><script>alert(2)</script>\u202e&amp;';
  const page = await opened(t, { fragment: "#/find", expected: ["400"], ...state({
    node: [{ name: odd, connected: false, warning: odd, since: odd, "dropped-packets": odd,
      port: [{ name: odd, error: odd }] }],
    tenant: [{ name: odd, status: odd, reason: odd, attachment: [{ name: odd, node: odd, port: odd, vlan: 1 }] }],
    function: [{ name: odd, status: "down" }], pool: [{ name: odd, used: "3", size: "3" }] }) });
  await page.getByRole("link", { name: odd }).first().click();
  await page.getByRole("heading", { level: 1, name: `Tenant ${odd}` }).waitFor();
  await page.getByRole("link", { name: "Health" }).click();
  await page.getByRole("heading", { name: "What needs attention" }).waitFor();
  assert.equal(await page.locator("main img, main script").count(), 0);
  await isAccessible(page);
});

test("a thousand tenants are searched and scrolled without delay", async t => {
  const tenant = Array.from({ length: 1000 }, (_, number) => ({ name: `customer-${number}`, status: "waiting", reason:
    "waiting for node edge1", attachment: [{ name: "office", node: "edge1", port: "acc0", vlan: number + 1 }] }));
  const page = await opened(t, { fragment: "#/find", ...state({ node: [{ name: "edge1", connected: false }], tenant }) });
  await page.getByText("1,000 tenants").waitFor();
  const list = page.getByRole("region", { name: "Tenants found" });
  assert.ok(await list.getByRole("listitem").count() < 60, "only rows that can be seen are drawn");
  assert.equal(await list.getByRole("listitem").first().getAttribute("aria-setsize"), "1000");
  const begin = performance.now();
  await page.getByRole("searchbox").fill("customer-9");
  await page.getByText("111 tenants").waitFor();
  assert.ok(performance.now() - begin < 5000);
  await page.getByRole("searchbox").fill("");
  await list.focus();
  await page.keyboard.press("End");
  await list.getByRole("link", { name: "customer-999", exact: true }).waitFor();
  await isAccessible(page);
  await page.getByRole("link", { name: "Health" }).click();
  await page.getByText("1 of 1 node and 1,000 of 1,000 tenants need attention.").waitFor();
  assert.ok(await page.locator("main a").count() < 60);
});
