// SPDX-License-Identifier: Apache-2.0
import { defineConfig } from "vitest/config";

/** The controller that a page under development asks: PENSTOCK_URL, by default the one of this machine. */
const controller = process.env["PENSTOCK_URL"] ?? "http://127.0.0.1:8181";

export default defineConfig({
  root: "src/main/web",
  base: "/ui/",
  build: {
    target: "es2022",
    emptyOutDir: true,
    // Inlined assets are data: URLs, which the page's content security policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  server: { host: "127.0.0.1", proxy: { "/rests": controller, "/penstock": controller } },
  test: { root: ".", include: ["src/test/web/**/*.test.ts"], environment: "node" },
});
