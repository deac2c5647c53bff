// SPDX-License-Identifier: Apache-2.0
/** Small parts that views share. */
import type { ComponentChildren, JSX } from "preact";
import { fragmentOf } from "../logic/route";

/** Good, bad or between; the text says it as well as the colour. */
export type Tone = "good" | "warning" | "error" | "quiet";

export function Badge({ tone, children }: { tone: Tone; children: ComponentChildren }): JSX.Element {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** The tone of the status of a tenant or function. */
export function toneOf(status: string | undefined): Tone {
  return status === "active" || status === "up" ? "good"
    : status === "failed" || status === "stopped" || status === "down" ? "error" : "warning";
}

export function TenantLink({ name }: { name: string }): JSX.Element {
  return <a href={fragmentOf({ view: "tenant", tenant: name })}>{name}</a>;
}

/** A table with a caption. Wide ones scroll in themselves, also by keys. */
export function Table({ caption, head, rows, empty }: {
  caption: string; head: readonly string[]; rows: readonly (readonly ComponentChildren[])[]; empty: string;
}): JSX.Element {
  if (!rows.length) {
    return <p class="quiet">{empty}</p>;
  }
  return <div class="wide" tabIndex={0} role="region" aria-label={`${caption}, table`}><table>
    <caption class="hidden">{caption}</caption>
    <thead><tr>{head.map(each => <th key={each} scope="col">{each}</th>)}</tr></thead>
    <tbody>{rows.map((row, number) => <tr key={number}>{row.map((cell, column) =>
      column ? <td key={column}>{cell}</td> : <th key={column} scope="row">{cell}</th>)}</tr>)}</tbody>
  </table></div>;
}
