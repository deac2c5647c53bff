// SPDX-License-Identifier: Apache-2.0
/**
 * Tests the page in Chromium, at a controller that runs: node run.mjs URL USER PASSWORD [DIRECTORY]
 *
 * node run.mjs --install only fetches what the tests need, for a machine that is cut off from the network afterwards.
 * URL is that of the web server, as http://127.0.0.1:8181. The account has the role provider: the tests make accounts and
 * a tenant whose names begin with pg-, and remove them. Screenshots come into DIRECTORY. Exit code 0: all have passed.
 */
import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { install } from "../../../build/dependencies.mjs";

const here = dirname(fileURLToPath(import.meta.url));
install(here);
if (process.argv[2] === "--install") {
  process.exit(0);
}
const [url, user, password, directory] = process.argv.slice(2);
if (!password) {
  console.error("usage: node run.mjs URL USER PASSWORD [DIRECTORY]");
  process.exit(2);
}
Object.assign(process.env, { PAGE_URL: url.replace(/\/+$/, ""), PAGE_USER: user, PAGE_PASSWORD: password,
  PAGE_PICTURES: directory ? resolve(directory) : "" });
if (directory) {
  mkdirSync(directory, { recursive: true });
}
for (const name of ["login", "health", "find", "tenant", "limits", "chains", "change", "robust", "access"]) {
  await import(`./${name}.test.mjs`);
}
