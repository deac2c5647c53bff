// SPDX-License-Identifier: Apache-2.0
/** What is around each view: navigation, the age of what is shown, the account. */
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { JSX } from "preact";
import { end, login } from "../api/session";
import { duration } from "../logic/numbers";
import { fragmentOf, routeOf, type Route, type View } from "../logic/route";
import { network, now, own, reading, trouble } from "../state/network";
import { ChainsView } from "./chains";
import { ChangeView } from "./change";
import { FindView } from "./find";
import { HealthView } from "./health";
import { LimitsView } from "./limits";
import { LoginForm } from "./login";
import { OwnForm } from "./own";
import { TenantView } from "./tenant";

export const route = signal<Route>(routeOf(location.hash));
addEventListener("hashchange", () => {
  route.value = routeOf(location.hash);
});

const TITLES: Record<View, string> = {
  health: "Health", find: "Find a tenant", tenant: "Tenant", limits: "Limits", chains: "Chains", change: "Change",
};

/** Without the configuration they would tell of defaults, and of chains that are not there. */
const NEED_CONFIGURATION: readonly View[] = ["limits", "chains"];

export function Frame(): JSX.Element {
  const by = login.value;
  const shown = route.value;
  const main = useRef<HTMLElement>(null);
  const place = `${shown.view} ${shown.tenant}`;
  const before = useRef(place);
  useEffect(() => {
    document.title = `${by ? TITLES[shown.view] : "Log in"}${by && shown.tenant ? ` ${shown.tenant}` : ""} – Penstock`;
    if (before.current !== place) {
      before.current = place;
      // A screen reader hears the new view, and the next Tab begins there.
      main.current?.querySelector("h1")?.focus();
    }
  }, [place, by]);
  return <>
    <header>
      <a class="skip" href={fragmentOf(shown)} onClick={event => {
        event.preventDefault();
        main.current?.querySelector("h1")?.focus();
      }}>Skip to the content</a>
      <p class="brand">Penstock</p>
      {by && <nav aria-label="Views">
        {(own.value ? ["health", "limits"] as const : ["health", "find", "limits", "chains"] as const).map(view =>
          <a key={view} href={fragmentOf({ view })} aria-current={shown.view === view ? "page" : undefined}>
            {TITLES[view]}</a>)}
      </nav>}
      {by && <p class="account"><span>{by.user}</span>{" "}
        <button type="button" onClick={() => end(by, "")}>Log out</button></p>}
      {by && <Age />}
    </header>
    <main ref={main}>{by ? <Content shown={shown} /> : <LoginForm />}</main>
    <footer><a href="./licences.txt">Licences of the libraries in this page</a></footer>
  </>;
}

/** The age of what is shown. It is an alert when the controller does not answer. */
function Age(): JSX.Element {
  const last = reading.value;
  const age = last ? (now.value - last.at) / 1000 : undefined;
  if (trouble.value) {
    return <div class="age lost">
      <p role="alert">The controller does not answer as expected: {trouble.value}. The page goes on trying.</p>
      <p>{age === undefined ? "Nothing has been read yet." : `What is shown is ${duration(age)} old.`}</p>
    </div>;
  }
  return <p class="age">{age === undefined ? "Reading …" : `Read ${duration(age)} ago`}</p>;
}

function Content({ shown }: { shown: Route }): JSX.Element {
  if (own.value && !own.value.length) {
    return <OwnForm />;
  }
  if (!reading.value || (NEED_CONFIGURATION.includes(shown.view) && !network.value)) {
    return <h1 tabIndex={-1}>{TITLES[shown.view]}</h1>;
  }
  // An account of a tenant may not read what is shared.
  switch (own.value && (shown.view === "find" || shown.view === "chains") ? "health" : shown.view) {
    case "find": return <FindView text={shown.text} status={shown.status} />;
    case "tenant": return <TenantView key={shown.tenant} name={shown.tenant} />;
    case "chains": return <ChainsView key={shown.tenant} tenant={shown.tenant} />;
    case "change": return <ChangeView key={shown.tenant} name={shown.tenant} />;
    case "limits": return <LimitsView />;
    default: return <HealthView />;
  }
}
