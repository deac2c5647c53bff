// SPDX-License-Identifier: Apache-2.0
/** What the model says of the place of the cursor. */
import type { JSX } from "preact";
import { schemaAt, type SchemaNode } from "../api/schema";

export function ModelHelp({ names }: { names: readonly string[] }): JSX.Element {
  const known = names.findIndex((_, number) => !schemaAt(names.slice(0, number + 1)));
  const path = known < 0 ? names : names.slice(0, known);
  const node = schemaAt(path);
  return <aside class="help" aria-labelledby="help" tabIndex={0}><h2 id="help">The model</h2>
    {known >= 0 && <p class="fault">{names[known]} is not in the model.</p>}
    <p><b>{path.length ? path.join(" / ") : "tenant"}</b> {node && <span class="quiet">{facts(node)}</span>}</p>
    <p>{node?.description}</p>
    {node?.below && <dl class="members">{Object.entries(node.below).map(([name, below]) => <div key={name}>
      <dt><code>{name}</code></dt><dd>{first(below.description)}{" "}
        <span class="quiet">{facts(below)}</span></dd></div>)}</dl>}
  </aside>;
}

function facts(node: SchemaNode): string {
  return [node.kind, node.keys && `by ${node.keys.join(", ")}`, node.type, node.units && `in ${node.units}`,
    node.default !== undefined && `default ${node.default}`].filter(text => text).join(", ");
}

/** The first sentence. */
function first(text = ""): string {
  return /^.*?\.(?= [A-Z]|$)/.exec(text)?.[0] ?? text;
}
