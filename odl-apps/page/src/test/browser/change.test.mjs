// SPDX-License-Identifier: Apache-2.0
/** Changes a tenant of the test's own; it needs an access port, and asks for no public address. */
import assert from "node:assert/strict";
import test from "node:test";
import { isSeenWell, logIn, open, opened } from "./browser.mjs";
import { account, network, request } from "./controller.mjs";

const NAME = `pg-${process.pid}`;
const PATH = `data/penstock:network/tenant=${NAME}`;
/** Above those of samples and documents. */
const VLAN = 4001;

const stored = async () => (await request("GET", `${PATH}?content=config`))["penstock:tenant"][0];

/** Makes the tenant, which ends with the test. */
async function tenant(t) {
  const { node } = await network();
  const { name, port } = node.find(each => each.port?.some(one => one.role === "access"));
  const attachment = { name: "office", node: name, port: port.find(each => each.role === "access").name, vlan: VLAN };
  const document = { name: NAME, attachment: [attachment],
    subnet: [{ name: "lan", prefix: "10.77.0.0/24", gateway: "10.77.0.1" }] };
  await request("PUT", PATH, { "penstock:tenant": [document] });
  t.after(() => request("DELETE", PATH));
  return document;
}

/** Writes a document into the text. */
async function write(page, document) {
  await page.getByRole("textbox").fill(JSON.stringify(document, null, 2));
}

const said = (page, text) => page.locator(".done, .fault").getByText(text).first().waitFor();

test("a change is checked, refused beside its leaf, and stored", async t => {
  const before = await tenant(t);
  const page = await opened(t, { fragment: `#/change/${NAME}`, expected: ["400"] });
  await page.getByText("Nothing differs.").waitFor();
  assert.deepEqual(JSON.parse(await page.getByRole("textbox").inputValue()), before);

  const wrong = { ...before, attachment: [{ ...before.attachment[0], vlan: 4095 }] };
  await write(page, wrong);
  await page.getByRole("button", { name: "Check, store nothing" }).click();
  await said(page, "vlan: 4095 is not in 1..4094");
  await page.getByRole("button", { name: "line 8" }).click();
  assert.equal(await page.evaluate(() => {
    const { selectionStart, selectionEnd, value } = document.activeElement;
    return value.slice(selectionStart, selectionEnd);
  }), "4095");
  await page.getByRole("complementary").getByText("802.1Q VLAN id.").waitFor();
  await isSeenWell(page, "change-wrong");

  await write(page, { ...before, chain: "pg-none", "egress-acl": "pg-none" });
  await page.getByRole("button", { name: "Store", exact: true }).click();
  await said(page, /^\d faults were found\./);
  await page.getByText("there is no acl 'pg-none'").first().waitFor();

  const right = { ...before, quota: { sessions: 1000 }, attachment: [{ ...before.attachment[0], vlan: VLAN + 1 }] };
  await write(page, right);
  await page.getByRole("button", { name: "Check, store nothing" }).click();
  await said(page, "The controller accepts this change.");
  assert.deepEqual(await page.locator(".difference del").allTextContents(), [`-      "vlan": ${VLAN}\n`, "-  ]\n"]);
  assert.deepEqual(await stored(), before, "nothing is stored");
  await isSeenWell(page, "change");
  await page.getByRole("button", { name: "Store", exact: true }).click();
  await said(page, "Stored.");
  assert.deepEqual(await stored(), right);
  await page.getByText("Nothing differs.").waitFor();
  assert.deepEqual((await network()).tenant.filter(each => each.name.startsWith("check-")), []);
});

test("of two editors neither loses a change", async t => {
  const before = await tenant(t);
  const [one, other] = [await opened(t, { fragment: `#/change/${NAME}` }), await opened(t, { fragment: `#/change/${NAME}` })];
  for (const page of [one, other]) {
    await page.getByText("Nothing differs.").waitFor();
  }
  const attachment = [{ ...before.attachment[0], vlan: VLAN + 2 }];
  await write(one, { ...before, attachment, quota: { leases: 10 } });
  await write(other, { ...before, quota: { sessions: 1000, leases: 20 } });
  await one.getByRole("button", { name: "Store", exact: true }).click();
  await said(one, "Stored.");
  await other.getByRole("button", { name: "Store", exact: true }).click();
  await said(other, "Another client has changed the tenant since it was read here.");
  await said(other, "Both have changed quota");
  assert.deepEqual((await stored()).quota, { leases: 10 }, "nothing is stored");
  await other.getByRole("button", { name: "Store", exact: true }).click();
  await said(other, "Stored.");
  assert.deepEqual(await stored(), { ...before, attachment, quota: { sessions: 1000, leases: 20 } });
});

test("a text that is no document is not sent, and is kept beside other views", async t => {
  await tenant(t);
  const page = await opened(t, { fragment: `#/change/${NAME}` });
  await page.getByText("Nothing differs.").waitFor();
  for (const [text, fault] of [["{ \"name\": 1,", "This is no JSON"], ["[]", "The document is one tenant"],
    ['{"name": "other"}', "The document is one tenant"], [`{"name": "${NAME}", "nat": {}, "nat": {}}`, "nat is there twice"]]) {
    await page.getByRole("textbox").fill(text);
    await page.getByRole("button", { name: "Store", exact: true }).click();
    await said(page, fault);
  }
  await page.getByRole("link", { name: "Health" }).click();
  await page.goBack();
  assert.match(await page.getByRole("textbox").inputValue(), /"nat": \{\}, "nat"/);
  await page.getByRole("button", { name: "Discard and read again" }).click();
  await page.getByText("Nothing differs.").waitFor();
});

test("a tenant's own account changes its port forwards, and not its quota", async t => {
  const before = await tenant(t);
  const nat = { pool: (await network()).pool[0].name };
  await request("PUT", PATH, { "penstock:tenant": [{ ...before, nat }] });
  const user = await account(t, "tenant", [NAME]);
  const page = await open(t, { expected: ["403"] });
  await logIn(page, user.name, user.password);
  await page.getByLabel("Name of the tenant").fill(NAME);
  await page.getByRole("button", { name: "Show it" }).click();
  await page.getByRole("link", { name: "Change its configuration" }).click();
  await page.getByText("Nothing differs.").waitFor();
  const forward = { name: "web", protocol: "tcp", "public-port": 80, "inside-address": "10.77.0.5" };
  const wanted = { ...before, nat: { ...nat, "port-forward": [forward] } };
  await write(page, wanted);
  await page.getByRole("button", { name: "Store", exact: true }).click();
  await said(page, "Stored.");
  assert.deepEqual(await stored(), wanted);
  await write(page, { ...wanted, quota: { sessions: 1000 } });
  await page.getByRole("button", { name: "Store", exact: true }).click();
  await said(page, "This account may not do that");
  assert.deepEqual(await stored(), wanted);
});

test("a reader's change is refused", async t => {
  const before = await tenant(t);
  const reader = await account(t, "reader");
  const page = await open(t, { fragment: `#/change/${NAME}`, expected: ["403"] });
  await logIn(page, reader.name, reader.password);
  await page.getByText("Nothing differs.").waitFor();
  await write(page, { ...before, quota: { sessions: 1000 } });
  await page.getByRole("button", { name: "Store", exact: true }).click();
  await said(page, "This account may not do that");
  assert.deepEqual(await stored(), before);
});
