// SPDX-License-Identifier: Apache-2.0
/** A text of JSON with numbers of lines, in which the lines of problems are marked. */
import type { JSX, Ref } from "preact";
import { lineOf, type Problem } from "../logic/text";

/** Height of a line in pixels; style.css has the same. */
const LINE = 21;
const LEAST_LINES = 12;
/** The whole text is about it. */
const TENANT = /^tenant [^:]+: /;

export function Editor({ text, problems, area, onText, onPlace }: {
  text: string; problems: readonly Problem[]; area: Ref<HTMLTextAreaElement>;
  onText: (text: string) => void; onPlace: (offset: number) => void;
}): JSX.Element {
  const lines = Math.max(LEAST_LINES, text.split("\n").length);
  const wrong = new Map<number, string[]>();
  for (const { message, offset } of problems) {
    const line = lineOf(text, offset);
    wrong.set(line, [...wrong.get(line) ?? [], message]);
  }
  return <div class="editor">
    <div class="numbers" aria-hidden="true">{Array.from({ length: lines }, (_, line) =>
      <div key={line} class={wrong.has(line) ? "wrong" : ""}>{wrong.has(line) ? "✗ " : ""}{line + 1}</div>)}</div>
    <div class="page">
      {[...wrong].map(([line, messages]) => <div key={line} class="mark" aria-hidden="true"
        style={{ top: `${line * LINE}px` }}>
        <span>{messages.map(each => each.replace(TENANT, "")).join("; ")}</span></div>)}
      <textarea ref={area} aria-label="Configuration of the tenant, as JSON" aria-describedby="problems"
        aria-invalid={problems.length > 0} value={text} rows={lines} wrap="off" spellcheck={false} autocomplete="off"
        onInput={event => onText(event.currentTarget.value)}
        onSelect={event => onPlace(event.currentTarget.selectionStart)}
        onKeyUp={event => onPlace(event.currentTarget.selectionStart)}
        onClick={event => onPlace(event.currentTarget.selectionStart)} />
    </div>
  </div>;
}
