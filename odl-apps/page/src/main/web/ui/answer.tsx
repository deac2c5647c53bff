// SPDX-License-Identifier: Apache-2.0
/** A question to the controller that a view asks when it opens, and again when its user wants. */
import { useSignal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ComponentChildren, JSX } from "preact";
import { Outdated, Refused, textOf } from "../api/restconf";
import { duration } from "../logic/numbers";
import { now } from "../state/network";

export interface Asked<T> {
  readonly answer: Signal<{ readonly value: T; readonly at: number } | undefined>;
  readonly trouble: Signal<string>;
  readonly isBusy: Signal<boolean>;
  readonly ask: () => Promise<void>;
}

/** Asks once at the beginning. The question must not change while the component lives. */
export function useAnswer<T>(question: () => Promise<T>): Asked<T> {
  const answer = useSignal<{ readonly value: T; readonly at: number } | undefined>(undefined);
  const trouble = useSignal("");
  const isBusy = useSignal(false);
  const ask = async (): Promise<void> => {
    if (isBusy.value) {
      return;
    }
    isBusy.value = true;
    try {
      answer.value = { value: await question(), at: performance.now() };
      trouble.value = "";
    } catch (error) {
      if (!(error instanceof Outdated)) {
        trouble.value = error instanceof Refused && error.status === 403
          ? `This account may not ask that: ${textOf(error)}` : `There is no answer: ${textOf(error)}`;
      }
    } finally {
      isBusy.value = false;
    }
  };
  useEffect(() => void ask(), []);
  return { answer, trouble, isBusy, ask };
}

export function Answer<T>({ of, children }: {
  of: Asked<T>; children: (value: T) => ComponentChildren;
}): JSX.Element {
  const last = of.answer.value;
  return <>
    {of.trouble.value && <p role="alert" class="fault">{of.trouble.value}</p>}
    {last && children(last.value)}
    <p class="quiet">{last ? `Read ${duration((now.value - last.at) / 1000)} ago. ` : of.isBusy.value ? "Reading … " : ""}
      <button type="button" class="small" onClick={() => void of.ask()}>Read again</button></p>
  </>;
}
