// SPDX-License-Identifier: Apache-2.0
import { structuredPatch } from "diff";
import { h, type JSX } from "preact";

const CONTEXT_LINES = 3;
/** After it the two texts are reported as different and not compared line by line. */
const PATIENCE_MILLISECONDS = 500;

/** The difference of two texts, by lines. */
export function Difference({ before, after, empty }: { before: string; after: string; empty: string }): JSX.Element {
  const patch = structuredPatch("", "", before, after, "", "",
    { context: CONTEXT_LINES, timeout: PATIENCE_MILLISECONDS });
  if (!patch) {
    return <p>The texts differ in too many lines to show how.</p>;
  }
  const lines = patch.hunks.flatMap((hunk, number) => [...number ? ["…"] : [], ...hunk.lines])
    .filter(line => !line.startsWith("\\"));
  if (!lines.length) {
    return <p class="quiet">{empty}</p>;
  }
  return <div class="wide" tabIndex={0} role="region" aria-label="Difference, by lines"><pre class="difference">
    {lines.map((line, number) => h(tagOf(line), { key: number }, `${line}\n`))}</pre></div>;
}

function tagOf(line: string): "ins" | "del" | "span" {
  return line.startsWith("+") ? "ins" : line.startsWith("-") ? "del" : "span";
}
