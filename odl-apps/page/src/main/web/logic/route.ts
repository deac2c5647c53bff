// SPDX-License-Identifier: Apache-2.0
/** The view that the fragment of the address names, so that views have links and the browser's history works. */

export type View = "health" | "find" | "tenant" | "limits" | "chains" | "change";

export interface Route {
  readonly view: View;
  /** Of views of one tenant; the view of chains has all chains without one. */
  readonly tenant: string;
  /** Text and status that the view find was asked for. */
  readonly text: string;
  readonly status: string;
}

const HOME: Route = { view: "health", tenant: "", text: "", status: "" };

/** The route of a fragment, with or without its #. What is no route leads to the first view. */
export function routeOf(fragment: string): Route {
  const [path = "", query = ""] = fragment.replace(/^#?\/?/, "").split("?", 2);
  const [view, key] = path.split("/", 2);
  let tenant: string;
  try {
    tenant = decodeURIComponent(key ?? "");
  } catch {
    return HOME;
  }
  if (view === "tenant" || view === "change") {
    return tenant ? { ...HOME, view, tenant } : HOME;
  }
  if (view === "find") {
    const asked = new URLSearchParams(query);
    return { ...HOME, view, text: asked.get("text") ?? "", status: asked.get("status") ?? "" };
  }
  if (view === "chains") {
    return { ...HOME, view, tenant };
  }
  return view === "limits" ? { ...HOME, view } : HOME;
}

/** The fragment of a route. */
export function fragmentOf(route: Partial<Route> & Pick<Route, "view">): string {
  if (route.view === "health") {
    return "#/";
  }
  if (route.view === "tenant" || route.view === "change" || (route.view === "chains" && route.tenant)) {
    return `#/${route.view}/${encodeURIComponent(route.tenant ?? "")}`;
  }
  const asked = new URLSearchParams(Object.entries({ text: route.text ?? "", status: route.status ?? "" })
    .filter(([, value]) => value));
  return `#/${route.view}${asked.size ? `?${asked}` : ""}`;
}
