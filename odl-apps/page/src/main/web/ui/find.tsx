// SPDX-License-Identifier: Apache-2.0
/** From what a customer says to the tenant. */
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { JSX } from "preact";
import { call, Outdated, textOf } from "../api/restconf";
import type { Lease } from "../api/model";
import { find, macOf, type Found } from "../logic/find";
import { many } from "../logic/numbers";
import { fragmentOf } from "../logic/route";
import { windowOf } from "../logic/window";
import { network, reading } from "../state/network";
import { Badge, TenantLink, toneOf } from "./parts";

/** Of a row in pixels; style.css has the same. */
const ROW = 44;
const STATUSES = ["active", "degraded", "installing", "waiting", "stopped", "failed"];

export function FindView({ text, status }: { text: string; status: string }): JSX.Element {
  const leases = useSignal<readonly Lease[]>([]);
  const trouble = useSignal("");
  useEffect(() => {
    call<{ lease: readonly Lease[] }>("leases").then(answer => {
      leases.value = answer.lease ?? [];
    }).catch((error: unknown) => {
      if (!(error instanceof Outdated)) {
        trouble.value = `Leases are not searched: ${textOf(error)}`;
      }
    });
  }, []);
  const state = reading.value?.state ?? {};
  const known = network.value;
  const found = useMemo(() => find(text, status, state, known, leases.value),
    [text, status, state, known, leases.value]);
  const go = (to: { text?: string; status?: string }): void => {
    // The history has the views, not each letter.
    history.replaceState(null, "", fragmentOf({ view: "find", text, status, ...to }));
    dispatchEvent(new HashChangeEvent("hashchange"));
  };
  return <>
    <h1 tabIndex={-1}>Find a tenant</h1>
    <form class="find" role="search" onSubmit={event => event.preventDefault()}>
      <label class="grow">Name, address, MAC address, VLAN, node, port, host name of a lease, or public port
        <input type="search" value={text} autocomplete="off" spellcheck={false}
          onInput={event => go({ text: event.currentTarget.value })} /></label>
      <label>Status<select value={status} onChange={event => go({ status: event.currentTarget.value })}>
        <option value="">any</option>{STATUSES.map(each => <option key={each} value={each}>{each}</option>)}
      </select></label>
    </form>
    {trouble.value && <p class="quiet">{trouble.value}</p>}
    <p role="status">{many(found.length, "tenant")}</p>
    {found.length === 0 && macOf(text) && <p>No lease has this MAC address. A host without a lease is shown among the
      hosts of its tenant.</p>}
    <Rows found={found} />
  </>;
}

/** Only the rows that can be seen are in the document. */
function Rows({ found }: { found: readonly Found[] }): JSX.Element | null {
  const top = useSignal(0);
  const height = useSignal(600);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const fit = (): void => {
      height.value = place.current?.clientHeight ?? 600;
    };
    fit();
    addEventListener("resize", fit);
    return () => removeEventListener("resize", fit);
  }, []);
  if (!found.length) {
    return null;
  }
  const { first, behind } = windowOf(top.value, height.value, ROW, found.length);
  return <div class="rows" ref={place} tabIndex={0} role="region" aria-label="Tenants found"
    onScroll={event => { top.value = event.currentTarget.scrollTop; }}>
    <ul style={{ height: `${found.length * ROW}px` }}>
      {found.slice(first, behind).map(({ tenant, because }, number) =>
        <li key={tenant.name} aria-setsize={found.length} aria-posinset={first + number + 1}
          style={{ top: `${(first + number) * ROW}px` }}>
          <TenantLink name={tenant.name} /> <Badge tone={toneOf(tenant.status)}>{tenant.status}</Badge>
          <span class="detail">{because || tenant.reason || tenant["public-address"]}</span></li>)}
    </ul>
  </div>;
}
