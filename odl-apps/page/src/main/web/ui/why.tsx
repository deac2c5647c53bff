// SPDX-License-Identifier: Apache-2.0
/** Why do packets of a tenant not pass? */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { call, Outdated, textOf } from "../api/restconf";
import type { Why } from "../api/model";
import { inputOf, way, type Placed } from "../logic/why";
import { Badge, type Tone } from "./parts";

const PROTOCOLS = ["tcp", "udp", "icmp"];
const VERDICTS: Record<string, Tone> = { passes: "good", notice: "warning", unknown: "quiet", fails: "error" };

export function WhyForm({ tenant }: { tenant: string }): JSX.Element {
  const host = useSignal("");
  const destination = useSignal("");
  const port = useSignal("");
  const protocol = useSignal("");
  const inbound = useSignal(false);
  const answer = useSignal<Partial<Why> | undefined>(undefined);
  const fault = useSignal("");
  const isBusy = useSignal(false);
  const ask = async (): Promise<void> => {
    const input = inputOf(tenant, { host: host.value, destination: destination.value, port: port.value,
      protocol: protocol.value, inbound: inbound.value });
    if (typeof input === "string") {
      fault.value = input;
      answer.value = undefined;
      return;
    }
    isBusy.value = true;
    fault.value = "";
    try {
      answer.value = await call<Why>("why", input);
    } catch (error) {
      answer.value = undefined;
      fault.value = error instanceof Outdated ? "" : textOf(error);
    } finally {
      isBusy.value = false;
    }
  };
  return <section aria-labelledby="why"><h2 id="why">Why do packets not pass?</h2>
    <form class="why" onSubmit={event => {
      event.preventDefault();
      if (!isBusy.value) {
        void ask();
      }
    }}>
      <label>{inbound.value ? "External host" : "Host"}<input value={host.value} autocomplete="off" spellcheck={false}
        placeholder={inbound.value ? "IP address" : "all hosts"}
        onInput={event => { host.value = event.currentTarget.value; }} /></label>
      <label>{inbound.value ? "Public address" : "Destination"}<input value={destination.value} autocomplete="off"
        placeholder={inbound.value ? "IP address" : "any"} spellcheck={false}
        onInput={event => { destination.value = event.currentTarget.value; }} /></label>
      <label>Port<input value={port.value} inputMode="numeric" autocomplete="off" placeholder="none" size={6}
        onInput={event => { port.value = event.currentTarget.value; }} /></label>
      <label>Protocol<select value={protocol.value} onChange={event => { protocol.value = event.currentTarget.value; }}>
        <option value="">by port</option>{PROTOCOLS.map(each => <option key={each}>{each}</option>)}</select></label>
      <label class="check"><input type="checkbox" checked={inbound.value}
        onChange={event => { inbound.value = event.currentTarget.checked; }} />from outside</label>
      <button type="submit" disabled={isBusy.value}>Ask why</button>
    </form>
    <div aria-live="polite">
      {fault.value && <p class="fault">{fault.value}</p>}
      {isBusy.value && <p class="quiet">Asking the controller and the switches …</p>}
      {answer.value && <Result answer={answer.value} />}
    </div>
  </section>;
}

function Result({ answer }: { answer: Partial<Why> }): JSX.Element {
  const placed = way(answer.step ?? []);
  return <div class="result">
    <p class="sentence">{answer.answer}</p>
    {answer.remedy && <p><b>Remedy:</b> {answer.remedy}</p>}
    {placed.length > 0 && <><h3>The way of the packet</h3>
      <ol class="way">{placed.map((each, number) => <Stage key={number} placed={each} />)}</ol></>}
    <p class="quiet">Cause: {answer.cause}</p>
  </div>;
}

function Stage({ placed: { step, place } }: { placed: Placed }): JSX.Element {
  return <li class={place}>
    <b>{step.stage}</b> <Badge tone={VERDICTS[step.verdict] ?? "quiet"}>{step.verdict}</Badge>{" "}
    {place === "end" && <strong>The packet ends here. </strong>}{step.text}
  </li>;
}
