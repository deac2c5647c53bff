// SPDX-License-Identifier: Apache-2.0
/**
 * Makes the files of the page: node build.mjs DIRECTORY. Beside each file stands the same one compressed, and files.txt
 * lists them for the servlet. The same sources give the same bytes.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { constants, gzipSync } from "node:zlib";
import { install } from "./build/dependencies.mjs";
import { licences } from "./build/licences.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const OUTPUT = join(HERE, "target", "vite");
/** Of all files, compressed, in bytes: the page is to be there at once, also over a slow line. */
const MOST_BYTES = 200_000;

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry =>
    entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)]).sort();
}

function run(program, ...args) {
  execFileSync(process.execPath, [join(HERE, "node_modules", ...program), ...args],
    { cwd: HERE, stdio: ["ignore", "inherit", "inherit"] });
}

const target = process.argv[2];
if (!target) {
  throw new Error("name the directory: node build.mjs DIRECTORY");
}
install(HERE);
run(["typescript", "bin", "tsc"], "--noEmit");
rmSync(OUTPUT, { recursive: true, force: true });
run(["vite", "bin", "vite.js"], "build", "--outDir", OUTPUT, "--logLevel", "warn");
writeFileSync(join(OUTPUT, "licences.txt"), licences(HERE));

let bytes = 0;
const names = [];
for (const path of filesBelow(OUTPUT)) {
  const packed = gzipSync(readFileSync(path), { level: constants.Z_BEST_COMPRESSION });
  packed[9] = 255; // The system it was made on: unknown, so that each gives the same bytes.
  bytes += packed.length;
  writeFileSync(`${path}.gz`, packed);
  names.push(relative(OUTPUT, path).replaceAll("\\", "/"));
}
if (bytes > MOST_BYTES) {
  throw new Error(`the page has ${bytes} bytes compressed, and ${MOST_BYTES} are the limit: leave something out`);
}
writeFileSync(join(OUTPUT, "files.txt"), names.join("\n") + "\n");
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
cpSync(OUTPUT, target, { recursive: true });
console.log(`page: ${names.length} files, ${bytes} bytes compressed`);
