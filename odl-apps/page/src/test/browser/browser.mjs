// SPDX-License-Identifier: Apache-2.0
/** Chromium with the page in it. Each test has a context of its own, and fails of what the console has as an error. */
import assert from "node:assert/strict";
import { after } from "node:test";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";

const { PAGE_URL, PAGE_USER, PAGE_PASSWORD, PAGE_PICTURES } = process.env;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WIDTH = 1280;
const HEIGHT = 800;
/** For what the controller or the page does in its own time, in milliseconds. */
export const PATIENCE = 20_000;

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
after(() => browser.close());

/**
 * A page that is not logged in.
 *
 * @param expected errors of the console that belong to the test
 * @param answers what the page gets in the place of answers of the controller, by the pattern of their addresses
 */
export async function open(test, { fragment = "", expected = [], answers = {} } = {}) {
  const context = await browser.newContext({ colorScheme: "light", viewport: { width: WIDTH, height: HEIGHT } });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const errors = [];
  page.on("pageerror", error => errors.push(String(error)));
  page.on("dialog", dialog => {
    errors.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", message => {
    if (message.type() === "error" && !expected.some(each => message.text().includes(each))) {
      errors.push(message.text());
    }
  });
  test.after(async () => {
    await context.close();
    assert.deepEqual(errors, []);
  });
  for (const [pattern, answer] of Object.entries(answers)) {
    await page.route(pattern, route => route.fulfill(answer));
  }
  await page.goto(`${PAGE_URL}/ui/${fragment}`);
  return page;
}

export async function logIn(page, user = PAGE_USER, password = PAGE_PASSWORD) {
  await page.getByLabel("Account").fill(user);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Log in" }).click();
}

/** A page of the account of the tests, with its data. */
export async function opened(test, options) {
  const page = await open(test, options);
  await logIn(page);
  await page.getByText(/^Read \d+ s ago$/).first().waitFor();
  return page;
}

/** What axe-core finds against WCAG 2.2 AA and its best practices, in the page or in a part of it. */
export async function isAccessible(page, part = "html") {
  await page.evaluate(AXE);
  const found = await page.evaluate(selector => globalThis.axe.run(selector), part);
  assert.deepEqual(found.violations.map(each => `${each.id}: ${each.nodes.map(node => node.html).join(" | ")}`), []);
  assert.ok(found.passes.length > (part === "html" ? 10 : 0));
}

/** Pictures in both schemes, and what axe-core finds in each. */
export async function isSeenWell(page, name) {
  for (const scheme of ["dark", "light"]) {
    await page.emulateMedia({ colorScheme: scheme });
    await picture(page, `${name}-${scheme}`);
    await isAccessible(page);
  }
}

export async function picture(page, name) {
  if (PAGE_PICTURES) {
    await page.screenshot({ path: join(PAGE_PICTURES, `${name}.png`), fullPage: true });
  }
}

/** The texts of the rows of a table, by cells. */
export async function rows(page, caption) {
  return page.locator("table").filter({ has: page.locator("caption", { hasText: caption }) }).locator("tbody tr")
    .evaluateAll(all => all.map(row => [...row.children].map(cell => cell.textContent.trim())));
}
