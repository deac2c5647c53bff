// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { isSeenWell, open, opened, rows } from "./browser.mjs";
import { call, network, state } from "./controller.mjs";

/** An address of a host that is not there, of the tenant's first subnet. */
async function silentHost(name) {
  const { tenant } = await network();
  return tenant.find(each => each.name === name).subnet[0].prefix.replace(/\d+\/\d+$/, "77");
}

async function compare(page, answer) {
  await page.locator(".sentence").filter({ hasText: answer.answer }).waitFor();
  const steps = await page.locator(".way li").evaluateAll(all => all.map(each =>
    [each.querySelector("b").textContent, each.querySelector(".badge").textContent, each.className]));
  assert.deepEqual(steps.map(each => each.slice(0, 2)), answer.step.map(step => [step.stage, step.verdict]));
  const end = answer.step.findIndex(step => step.verdict === "fails");
  assert.deepEqual(steps.map(each => each[2] === "end"), answer.step.map((_, number) => number === end));
  if (answer.remedy) {
    await page.getByText(answer.remedy).first().waitFor();
  }
}

test("a tenant's view agrees with the controller, and tells why", async t => {
  const tenant = (await state()).tenant.find(each => each["public-address"]);
  const page = await opened(t, { fragment: `#/tenant/${tenant.name}` });
  await page.getByRole("heading", { level: 1, name: `Tenant ${tenant.name} ${tenant.status}` }).waitFor();
  assert.deepEqual(await rows(page, "Attachments"), tenant.attachment.map(each =>
    [each.name, each.node, each.port, String(each.vlan)]));
  assert.equal((await rows(page, "Public addresses"))[0][0], tenant["public-address"]);
  await page.getByText(/^Read \d+ s ago\. /).nth(3).waitFor();
  const limits = (await call("limits", { tenant: tenant.name }))?.limit ?? [];
  assert.deepEqual((await rows(page, "Limits")).map(row => row[0]).sort(), limits.map(each => each.meter).sort());

  const host = await silentHost(tenant.name);
  await page.getByLabel("Host", { exact: true }).fill(host);
  await page.getByLabel("Destination").fill("198.51.100.10");
  await page.getByLabel("Port", { exact: true }).fill("80");
  await page.getByRole("button", { name: "Ask why" }).click();
  await compare(page, await call("why", { tenant: tenant.name, host, destination: "198.51.100.10", port: 80 }));
  await isSeenWell(page, "tenant");
});

test("a flow that dropped packets names the last one that was reported", async t => {
  const tenant = (await state()).tenant[0];
  const flow = { node: "edge1", table: "access_guard", drop: true };
  const page = await opened(t, { fragment: `#/tenant/${tenant.name}`, answers: {
    "**/rests/operations/penstock-operations:flows": { status: 200, contentType: "application/yang-data+json",
      body: JSON.stringify({ "penstock-operations:output": { flow: [
        { ...flow, label: "silent", packets: "3" }, { ...flow, label: "one", packets: "0" },
        { ...flow, label: "two", packets: "0" },
        { ...flow, label: "reported", packets: "7", "last-dropped": { time: "not a time",
          text: "port acc0, VLAN 123, <b>MAC</b> 02:00:00:00:00:02" } }] } }) } } });
  await page.getByText("2 flows that have dropped nothing").waitFor();
  assert.deepEqual(await rows(page, "Flows that dropped packets"), [
    ["7", "reported", "access_guard", "edge1", "not a time: port acc0, VLAN 123, <b>MAC</b> 02:00:00:00:00:02"],
    ["3", "silent", "access_guard", "edge1", ""]]);
});

test("the keyboard alone leads from the login to the reason", async t => {
  const tenant = (await state()).tenant[0];
  const page = await open(t);
  const tabTo = async matches => {
    for (let step = 0; step < 40; step++) {
      await page.keyboard.press("Tab");
      const focused = await page.evaluate(() => [document.activeElement.tagName, document.activeElement.textContent,
        getComputedStyle(document.activeElement).outlineStyle]);
      if (matches(focused)) {
        assert.notEqual(focused[2], "none", "the focus is seen");
        return;
      }
    }
    assert.fail("the keyboard does not reach it");
  };
  // The form takes the focus when it is there.
  await page.locator("input[name=user]:focus").waitFor();
  await page.keyboard.type(process.env.PAGE_USER);
  await page.keyboard.press("Tab");
  await page.keyboard.type(process.env.PAGE_PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Nodes" }).waitFor();
  await tabTo(([, text]) => text === "Find a tenant");
  await page.keyboard.press("Enter");
  await page.getByRole("searchbox").waitFor();
  await tabTo(([tag]) => tag === "INPUT");
  await page.keyboard.type(tenant.name);
  await tabTo(([tag, text]) => tag === "A" && text === tenant.name);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Ask why" }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.tagName), "H1");
  await tabTo(([tag]) => tag === "INPUT");
  await page.keyboard.press("Enter");
  await compare(page, await call("why", { tenant: tenant.name }));
});

test("a question that cannot be asked is reported", async t => {
  const tenant = (await state()).tenant[0];
  const page = await opened(t, { fragment: `#/tenant/${tenant.name}`, expected: ["400"] });
  await page.getByLabel("Port", { exact: true }).fill("99999");
  await page.getByRole("button", { name: "Ask why" }).click();
  await page.getByText("The port is a number from 0 to 65535.").waitFor();
  await page.getByLabel("Port", { exact: true }).fill("");
  await page.getByLabel("Host", { exact: true }).fill("<b>x</b>");
  await page.getByRole("button", { name: "Ask why" }).click();
  await page.locator(".fault, .sentence").filter({ hasText: "<b>x</b>" }).waitFor();
});

test("there is no view of a tenant that is not there", async t => {
  const page = await opened(t, { fragment: "#/tenant/pg-%3Cscript%3E" });
  await page.getByText("There is no state of a tenant of this name.").waitFor();
  assert.match(await page.getByRole("heading", { level: 1 }).textContent(), /pg-<script>/);
});
