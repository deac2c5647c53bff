// SPDX-License-Identifier: Apache-2.0
/**
 * Looks at the page in Chromium: node page.mjs URL USER PASSWORD TENANT...
 *
 * Logs in, finds each tenant and opens its view. The tests of the page are in odl-apps/page/src/test/browser, whose
 * libraries this uses: install them first.
 */
import { createRequire } from "node:module";

const { chromium } = createRequire(new URL("../../odl-apps/page/src/test/browser/", import.meta.url))("playwright-core");
/** A limit, in milliseconds, and not what is expected. */
const PATIENCE = 240_000;
const [url, user, password, ...tenants] = process.argv.slice(2);

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"], timeout: PATIENCE });
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.on("pageerror", error => {
    console.error(String(error));
    process.exitCode = 1;
  });
  await page.goto(`${url}/ui/#/find`);
  await page.getByLabel("Account").fill(user);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Log in" }).click();
  for (const tenant of tenants) {
    await page.getByRole("searchbox").fill(tenant);
    await page.getByRole("region", { name: "Tenants found" }).getByRole("link", { name: tenant, exact: true }).click();
    await page.getByRole("heading", { level: 1, name: `Tenant ${tenant}` }).waitFor();
    console.log(`tenant ${tenant} is shown`);
    await page.goto(`${url}/ui/#/find`);
  }
} finally {
  await browser.close();
}
