// SPDX-License-Identifier: Apache-2.0
/** What will my change do? */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { JSX } from "preact";
import { Outdated, Refused, textOf, Unreachable, type Violation } from "../api/restconf";
import { isDocument, same, arranged, type Document } from "../logic/edits";
import { many } from "../logic/numbers";
import { lineOf, namesAt, parsed, placeOf, type Problem } from "../logic/text";
import { TENANT } from "../api/schema";
import { check, store, stored } from "../state/change";
import { drafts } from "../state/drafts";
import { own } from "../state/network";
import { Difference } from "./difference";
import { Editor } from "./editor";
import { ModelHelp } from "./model-help";
import { TenantLink } from "./parts";

const INDENT = 2;

function textOfDocument(document: Document | undefined): string {
  return document ? JSON.stringify(document, null, INDENT) : "";
}

/** What to begin a new tenant with: the lists that each one has. */
function skeleton(name: string): Document {
  return { name, attachment: [{ name: "office", node: "", port: "", vlan: 0 }],
    subnet: [{ name: "lan", prefix: "", gateway: "" }] };
}

export function ChangeView({ name }: { name: string }): JSX.Element {
  const before = useSignal<Document | undefined>(undefined);
  const isRead = useSignal(false);
  const text = useSignal("");
  const place = useSignal(0);
  const problems = useSignal<readonly Problem[]>([]);
  /** A sentence on what came of the last button; the second is an error. */
  const said = useSignal<readonly [string, boolean]>(["", false]);
  const isBusy = useSignal(false);
  const area = useRef<HTMLTextAreaElement>(null);

  const write = (to: string): void => {
    text.value = to;
    drafts.set(name, { before: before.value, text: to });
  };
  const begin = (document: Document | undefined): void => {
    before.value = document;
    isRead.value = true;
    problems.value = [];
    text.value = textOfDocument(document ?? skeleton(name));
    drafts.delete(name);
  };
  /** Does something that may fail. */
  const attempt = async (what: () => Promise<void>): Promise<void> => {
    if (isBusy.value) {
      return;
    }
    isBusy.value = true;
    said.value = ["", false];
    try {
      await what();
    } catch (error) {
      if (!(error instanceof Outdated)) {
        said.value = [error instanceof Unreachable && isRead.value
          ? `There is no answer: ${textOf(error)}. It is not known whether anything was stored.`
          : error instanceof Refused && error.status === 403 ? `This account may not do that: ${textOf(error)}`
            : `That has failed: ${textOf(error)}`, true];
      }
    } finally {
      isBusy.value = false;
    }
  };
  const readAgain = (): Promise<void> => attempt(async () => begin(await stored(name)));
  useEffect(() => {
    const draft = drafts.get(name);
    if (draft) {
      before.value = draft.before;
      isRead.value = true;
      text.value = draft.text;
    } else {
      void readAgain();
    }
  }, []);

  /** The document of the text; undefined after its problem was shown. */
  const wanted = (): Document | undefined => {
    const found = parsed(text.value);
    if ("problem" in found) {
      problems.value = [found.problem];
      return undefined;
    }
    if (!isDocument(found.value) || found.value["name"] !== name) {
      problems.value = [{ message: `The document is one tenant with the name ${name}.`, offset: 0, length: 1 }];
      return undefined;
    }
    problems.value = [];
    return found.value;
  };
  const show = (violations: readonly Violation[]): void => {
    const found = parsed(text.value);
    problems.value = violations.map(each => ({ message: each.message,
      ...("tree" in found && each.path ? placeOf(each.path, found.tree) : { offset: 0, length: 1 }) }));
  };
  const checkIt = (): Promise<void> => attempt(async () => {
    const after = wanted();
    if (!after || same(after, before.value)) {
      said.value = after ? ["Nothing differs from what is stored.", false] : ["", false];
      return;
    }
    show(await check(name, before.value, after));
    if (!problems.value.length) {
      said.value = ["The controller accepts this change. Nothing is stored yet.", false];
    }
  });
  const storeIt = (): Promise<void> => attempt(async () => {
    const after = wanted();
    if (!after || same(after, before.value)) {
      said.value = after ? ["Nothing differs from what is stored.", false] : ["", false];
      return;
    }
    const done = await store(name, before.value, after);
    if (done.kind === "stored") {
      begin(done.now);
      said.value = same(done.now, after) ? ["Stored.", false]
        : ["Stored. Another client has changed the tenant at the same time: the text has both changes.", false];
    } else if (done.kind === "refused") {
      show(done.violations);
    } else {
      before.value = done.now;
      write(textOfDocument(done.merged));
      const both = done.conflicts.map(path => path.slice(1)).join(", ");
      said.value = [`Another client has ${done.now ? "changed the tenant since it was read here. The text now has both "
        + "changes." : "deleted the tenant since it was read here."} Nothing is stored yet.${
        both && ` Both have changed ${both}: the text has yours.`}`, true];
    }
  });

  const found = parsed(text.value);
  const after = "value" in found && isDocument(found.value) ? arranged(found.value, TENANT) as Document : undefined;
  return <>
    <h1 tabIndex={-1}>Change tenant {name}</h1>
    <p><TenantLink name={name} />{isRead.value && !before.value && " There is no tenant of this name yet."}</p>
    <div aria-live="polite">
      {said.value[0] && <p role={said.value[1] ? "alert" : "status"} class={said.value[1] ? "fault" : "done"}>
        {said.value[0]}</p>}
      <div id="problems">{problems.value.length > 0 && <div class="fault">
        <p>{many(problems.value.length, "fault")} {problems.value.length === 1 ? "was" : "were"} found. Nothing is
          stored.</p>
      <ul>{problems.value.map((each, number) => <li key={number}><button type="button" class="small" onClick={() => {
        area.current?.focus();
        area.current?.setSelectionRange(each.offset, each.offset + each.length);
      }}>line {lineOf(text.value, each.offset) + 1}</button> {each.message}</li>)}</ul></div>}</div>
    </div>
    {isRead.value && <div class="change">
      <div>
        <Editor text={text.value} problems={problems.value} area={area} onText={to => {
          problems.value = [];
          write(to);
        }} onPlace={offset => { place.value = offset; }} />
        <p class="buttons">
          {own.value === undefined && <button type="button" disabled={isBusy.value} onClick={() => void checkIt()}>
            Check, store nothing</button>}
          <button type="submit" disabled={isBusy.value} onClick={() => void storeIt()}>Store</button>
          <button type="button" disabled={isBusy.value} onClick={() => void readAgain()}>
            Discard and read again</button></p>
        <section aria-labelledby="difference"><h2 id="difference">Difference from what is stored</h2>
          {after ? <Difference before={textOfDocument(before.value)} after={textOfDocument(after)}
            empty="Nothing differs." /> : <p class="quiet">The text is no document.</p>}</section>
      </div>
      <ModelHelp names={namesAt(text.value, place.value)} />
    </div>}
  </>;
}
