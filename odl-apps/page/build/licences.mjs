// SPDX-License-Identifier: Apache-2.0
/** The licences of the libraries that are in the files of the page: they ask for their text beside the program. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * @param {string} folder with package-lock.json and node_modules
 * @returns {string} name, version and licence of each library that is not for the build alone
 * @throws {Error} if one has no text of its licence
 */
export function licences(folder) {
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  return Object.entries(packages).filter(([path, { dev }]) => path && !dev).map(([path, { version, license }]) => {
    const file = readdirSync(join(folder, path)).sort().find(name => /^licen[cs]e/i.test(name));
    if (!file) {
      throw new Error(`${path} has no licence: ask its authors, or use another library`);
    }
    return `${path.replace(/^.*node_modules\//, "")} ${version}, ${license}\n\n${
      readFileSync(join(folder, path, file), "utf8").replaceAll("\r\n", "\n").trim()}\n`;
  }).join(`\n${"-".repeat(72)}\n\n`);
}
