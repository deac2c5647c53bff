// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { fragmentOf, routeOf } from "../../main/web/logic/route";
import { windowOf } from "../../main/web/logic/window";

test.each(["red", "a/b", "50%", "#?&=", "<script>", "ö €", "..", "%2F"])("tenant %s has a link", tenant => {
  for (const view of ["tenant", "change", "chains"] as const) {
    expect(routeOf(fragmentOf({ view, tenant }))).toEqual({ view, tenant, text: "", status: "" });
  }
});

test("a question has a link", () => {
  const route = { view: "find" as const, tenant: "", text: "10.0.0.1 & more? #", status: "waiting" };
  expect(routeOf(fragmentOf(route))).toEqual(route);
  expect(fragmentOf({ view: "find" })).toBe("#/find");
});

test.each(["", "#", "#/", "#/nothing", "#/tenant", "#/tenant/", "#/tenant/%", "#javascript:alert(1)"])(
  "%s leads to the first view", fragment => {
    expect(routeOf(fragment).view).toBe("health");
  });

test("of a thousand rows the visible ones are drawn", () => {
  expect(windowOf(0, 440, 44, 1000)).toEqual({ first: 0, behind: 20 });
  expect(windowOf(4400, 440, 44, 1000)).toEqual({ first: 90, behind: 120 });
  expect(windowOf(44_000 - 440, 440, 44, 1000)).toEqual({ first: 980, behind: 1000 });
  // The list has become shorter than it was scrolled.
  expect(windowOf(44_000, 440, 44, 3)).toEqual({ first: 2, behind: 3 });
  expect(windowOf(0, 440, 44, 0)).toEqual({ first: 0, behind: 0 });
});
