// SPDX-License-Identifier: Apache-2.0
/** Installs what a package.json asks for, unless the same lock file was installed before: then no registry is asked. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * @param {string} folder with package.json and package-lock.json
 * @throws {Error} if npm fails; npm has told why
 */
export function install(folder) {
  const stamp = join(folder, "node_modules", ".installed");
  // Native programs of one machine do not run on another one.
  const wanted = createHash("sha256").update(readFileSync(join(folder, "package-lock.json")))
    .update(`${process.platform} ${process.arch}`).digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) {
    return;
  }
  rmSync(stamp, { force: true });
  execFileSync("npm", ["ci", "--prefer-offline"], { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
  writeFileSync(stamp, wanted);
}
