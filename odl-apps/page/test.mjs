// SPDX-License-Identifier: Apache-2.0
/**
 * Tests the page without a browser: node test.mjs [REPORT.xml [DIRECTORY]]
 *
 * DIRECTORY has the files that build.mjs has made: they are made again, and have to be the same.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { install } from "./build/dependencies.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));

function filesOf(folder) {
  return Object.fromEntries(readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath ?? entry.path, entry.name)).sort()
    .map(path => [relative(folder, path), readFileSync(path).toString("base64")]));
}

install(HERE);
const [report, made] = process.argv.slice(2);
const done = spawnSync(process.execPath, [join(HERE, "node_modules", "vitest", "vitest.mjs"), "run",
  ...(report ? ["--reporter=default", "--reporter=junit", `--outputFile.junit=${report}`] : [])],
  { cwd: HERE, stdio: ["ignore", "inherit", "inherit"] });
process.exitCode = done.status ?? 1;
if (made) {
  const again = join(HERE, "target", "built-again");
  execFileSync(process.execPath, [join(HERE, "build.mjs"), again], { stdio: ["ignore", "ignore", "inherit"] });
  assert.deepEqual(Object.keys(filesOf(again)), Object.keys(filesOf(made)), "two builds have the same files");
  assert.deepEqual(filesOf(again), filesOf(made), "two builds of the same sources have the same bytes");
  rmSync(again, { recursive: true });
}
