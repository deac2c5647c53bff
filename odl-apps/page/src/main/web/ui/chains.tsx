// SPDX-License-Identifier: Apache-2.0
/** How do chains fare? */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { JSX } from "preact";
import type { Canary, InstanceStatus, Status } from "../api/answers";
import type { Counter } from "../api/model";
import { call } from "../api/restconf";
import { chainsHeadline, chainsOf, isRight, rate, type Chain, type Hop } from "../logic/chains";
import { duration, grouped, localTime } from "../logic/numbers";
import { fragmentOf } from "../logic/route";
import { network, reading } from "../state/network";
import { Answer, useAnswer } from "./answer";
import { Badge, Table, TenantLink, toneOf } from "./parts";
import { TraceForm } from "./trace";

const MOST_NAMES = 8;
/** Between the first two readings, of which the rates are made. */
const RATE_MILLISECONDS = 3000;

/** A reading of counters, and the one before it. */
interface Readings {
  readonly status: Partial<Status>;
  readonly at: number;
  readonly before: { readonly status: Partial<Status>; readonly at: number } | undefined;
}

/** @param tenant whose chains are shown; empty for all */
export function ChainsView({ tenant }: { tenant: string }): JSX.Element {
  const last = useSignal<Readings | undefined>(undefined);
  const asked = useAnswer(async () => {
    const status = await call<Status>("status");
    last.value = { status, at: performance.now(), before: last.value };
    return last.value;
  });
  const isFirst = asked.answer.value !== undefined && asked.answer.value.value.before === undefined;
  useEffect(() => {
    if (isFirst) {
      const timer = setTimeout(() => void asked.ask(), RATE_MILLISECONDS);
      return () => clearTimeout(timer);
    }
    return undefined;
  }, [isFirst]);
  const readings = asked.answer.value?.value;
  const chains = chainsOf(reading.value?.state ?? {}, network.value, readings?.status ?? {}, tenant);
  return <>
    <h1 tabIndex={-1} class={chains.every(isRight) ? "good" : "bad"}>{chainsHeadline(chains, tenant)}</h1>
    {tenant && <p><TenantLink name={tenant} /> · <a href={fragmentOf({ view: "chains" })}>Chains of all tenants</a></p>}
    <Answer of={asked}>{() => null}</Answer>
    {chains.map(chain => <OneChain key={chain.name} chain={chain} readings={readings} />)}
    {tenant && chains.length > 0 && <TraceForm tenant={tenant} />}
  </>;
}

function OneChain({ chain, readings }: { chain: Chain; readings: Readings | undefined }): JSX.Element {
  const id = `chain-${chain.name}`;
  const names = chain.tenants.slice(0, MOST_NAMES);
  return <section aria-labelledby={id}><h2 id={id}>Chain {chain.name}{" "}
    {!isRight(chain) && <Badge tone="error">needs attention</Badge>}</h2>
    <p>{chain.tenants.length ? <>Tenants: {names.map((name, number) => <>{number > 0 && ", "}
      <TenantLink key={name} name={name} /></>)}{chain.tenants.length > names.length
      && ` and ${grouped(BigInt(chain.tenants.length - names.length))} more`}. </> : "No tenant uses it. "}
      {chain.packets !== undefined && <>{grouped(chain.packets)} packets were sent to its functions{
        rated(readings, status => status.chain?.find(each => each.name === chain.name)?.packets)}.</>}</p>
    <ol class="way" aria-label={`Functions of chain ${chain.name}, from the tenant to the backbone`}>
      {chain.hops.map(hop => <OneHop key={hop.name} hop={hop} of={chain.name} readings={readings} />)}</ol>
    {chain.branch && <><h3>Branch behind the second output of {chain.branch.at}</h3>
      {chain.branch.hops.length ? <ol class="way">{chain.branch.hops.map(hop =>
        <OneHop key={hop.name} hop={hop} of={chain.name} readings={readings} />)}</ol>
        : <p>It leads to the backbone.</p>}</>}
  </section>;
}

/** ", 5 /s" of a counter in two readings. */
function rated(readings: Readings | undefined, of: (status: Partial<Status>) => Counter): string {
  if (!readings?.before) {
    return "";
  }
  const text = rate(of(readings.before.status), of(readings.status), (readings.at - readings.before.at) / 1000);
  return text && `, ${text}`;
}

function OneHop({ hop, of, readings }: { hop: Hop; of: string; readings: Readings | undefined }): JSX.Element {
  const counter = (name: string, leaf: "packets-in" | "packets-out") => (status: Partial<Status>): Counter =>
    status.function?.find(each => each.name === hop.name)?.instance?.find(each => each.name === name)?.[leaf];
  const packets = (name: string, leaf: "packets-in" | "packets-out", answer: InstanceStatus | undefined): string =>
    answer?.[leaf] === undefined ? "–" : `${grouped(answer[leaf])}${rated(readings, counter(name, leaf))}`;
  return <li class={hop.status === "up" ? "passed" : "end"}>
    <b>{hop.name}</b> <Badge tone={toneOf(hop.status)}>{hop.status}</Badge>{" "}
    <span class="quiet">{[hop.node && `at ${hop.node}`, hop.kind, hop.failure].filter(text => text).join(", ")}</span>
    <Table caption={`Instances of ${hop.name} in chain ${of}`} empty="There is no state of its instances."
      head={["Instance", "State", "Process", "Packets in", "Packets out", "Probes lost", "Mean round trip"]}
      rows={hop.instances.map(each => [each.name, <>{each.isUp ? <Badge tone="good">works</Badge>
        : <Badge tone="error">gets no packets</Badge>}{each.answer?.state && ` ${each.answer.state}`}
        {each.weight !== undefined && `, weight ${each.weight}`}</>, each.answer?.process ?? "–",
      packets(each.name, "packets-in", each.answer), packets(each.name, "packets-out", each.answer),
      each.answer?.probes ? `${each.answer.probes.lost ?? 0} of ${each.answer.probes.sent ?? 0}` : "not probed",
      each.answer?.probes?.["mean-round-trip"] === undefined ? "–"
        : `${grouped(each.answer.probes["mean-round-trip"])} µs`])} />
    {(hop.answer?.canary ?? []).map(each => <NewVersion key={each.version} canary={each} />)}
  </li>;
}

function NewVersion({ canary }: { canary: Canary }): JSX.Element {
  const { "old-version": old, "new-version": fresh } = canary;
  return <div><p>New version <b>{canary.version}</b> <Badge tone={canary.state === "forward" ? "good"
    : canary.state === "back" ? "error" : "warning"}>{canary.state}</Badge>
    {!canary.configured && " (earlier)"} {canary.reason}{canary["seconds-left"] !== undefined
      && `, ${duration(canary["seconds-left"])} left`}{canary.decided && `, decided ${localTime(canary.decided)}`}</p>
    <Table caption={`Versions, ${canary.version}`} empty="Nothing is measured yet."
      head={["Version", "Instances", "Packets in", "Dropped", "Probes lost"]}
      rows={([["new", fresh], ["old", old]] as const).filter(([, side]) => side).map(([name, side]) => [name,
        (side?.instance ?? []).join(", "), grouped(side?.["packets-in"]), `${side?.dropped ?? 0} %`,
        `${side?.loss ?? 0} %`])} />
  </div>;
}
