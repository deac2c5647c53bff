// SPDX-License-Identifier: Apache-2.0
/** The functions that a connection of a tenant passes, verified in the switch. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { Trace, TracedWay } from "../api/answers";
import { call, Outdated, textOf } from "../api/restconf";
import { portOf } from "../logic/why";
import { Badge, type Tone } from "./parts";

const VERDICTS: Record<string, string> = { agrees: "The switch forwards the packet as planned.",
  differs: "The switch forwards the packet in another way than planned.",
  "not-checked": "The plan was not compared with the switch." };
const TONES: Record<string, Tone> = { agrees: "good", differs: "error" };
const PROTOCOLS = ["tcp", "udp", "icmp"];

export function TraceForm({ tenant }: { tenant: string }): JSX.Element {
  const fields = { "source-address": useSignal(""), "source-port": useSignal("40000"),
    "destination-address": useSignal(""), "destination-port": useSignal("443") };
  const protocol = useSignal("tcp");
  const answer = useSignal<Partial<Trace> | undefined>(undefined);
  const fault = useSignal("");
  const isBusy = useSignal(false);
  const ask = async (): Promise<void> => {
    const ports = protocol.value === "icmp" ? [0, 0]
      : [portOf(fields["source-port"].value), portOf(fields["destination-port"].value)];
    const wrong = ports.find(port => typeof port === "string");
    answer.value = undefined;
    fault.value = wrong === undefined ? "" : String(wrong);
    if (wrong !== undefined) {
      return;
    }
    isBusy.value = true;
    try {
      answer.value = await call<Trace>("chain-trace", { tenant, protocol: protocol.value,
        "source-address": fields["source-address"].value.trim(), "source-port": ports[0],
        "destination-address": fields["destination-address"].value.trim(), "destination-port": ports[1] });
    } catch (error) {
      fault.value = error instanceof Outdated ? "" : textOf(error);
    } finally {
      isBusy.value = false;
    }
  };
  const field = (label: string, name: keyof typeof fields): JSX.Element => <label>{label}
    <input value={fields[name].value} required autocomplete="off" spellcheck={false}
      size={name.endsWith("port") ? 6 : 18} disabled={name.endsWith("port") && protocol.value === "icmp"}
      onInput={event => { fields[name].value = event.currentTarget.value; }} /></label>;
  return <section aria-labelledby="trace"><h2 id="trace">The way of one connection</h2>
    <form class="why" onSubmit={event => {
      event.preventDefault();
      if (!isBusy.value) {
        void ask();
      }
    }}>
      {field("Host of the tenant", "source-address")}
      {field("Its port", "source-port")}
      {field("Destination", "destination-address")}
      {field("Port", "destination-port")}
      <label>Protocol<select value={protocol.value} onChange={event => { protocol.value = event.currentTarget.value; }}>
        {PROTOCOLS.map(each => <option key={each}>{each}</option>)}</select></label>
      <button type="submit" disabled={isBusy.value}>Trace</button>
    </form>
    <div aria-live="polite">
      {fault.value && <p class="fault">{fault.value}</p>}
      {answer.value && <div class="result">
        <p class="sentence">
          <Badge tone={TONES[answer.value.verdict ?? ""] ?? "warning"}>{answer.value.verdict}</Badge>{" "}
          {VERDICTS[answer.value.verdict ?? ""]}</p>
        {answer.value.reason && <p>{answer.value.reason}</p>}
        <Way title="To the backbone" way={answer.value.outbound} />
        <Way title="To the tenant" way={answer.value.inbound} />
      </div>}
    </div>
  </section>;
}

function Way({ title, way }: { title: string; way: TracedWay | undefined }): JSX.Element {
  const hops = way?.hop ?? [];
  return <><h3>{title}{way?.chain && `, by chain ${way.chain}`}{way?.rule && ` of rule ${way.rule}`}</h3>
    {hops.length ? <ol class="way">{hops.map((hop, number) => <li key={number} class={hop.reason === "stopped" ? "end"
      : "passed"}><b>{hop.function}</b>{hop.instance && `, instance ${hop.instance}`}: {hop.reason}
      <span class="quiet">{hop["port-to"] && ` (${hop["port-to"]}${hop["port-from"] ? ` to ${hop["port-from"]}` : ""})`}
      </span></li>)}</ol> : <p>It passes no function.</p>}</>;
}
