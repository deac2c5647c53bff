// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { EventReader, eventOf } from "../../main/web/logic/events";

const STATUS = JSON.stringify({ "ietf-restconf:notification": { "event-time": "2026-11-27T18:57:15.940Z",
  "penstock-state:status-event": { kind: "node", name: "edge1", status: "lost", "former-status": "connected",
    reason: "<img src=x onerror=alert(1)>" } } });

test("events are found wherever the stream is cut", () => {
  const stream = `: listening\n\ndata: ${STATUS}\n\n:\n\ndata: a\r\n\r\ndata:b\ndata: c\n\n`;
  for (let size = 1; size <= stream.length; size++) {
    const reader = new EventReader();
    const found = [];
    for (let at = 0; at < stream.length; at += size) {
      found.push(...reader.read(stream.slice(at, at + size)));
    }
    expect(found).toEqual([STATUS, "a", "b\nc"]);
  }
});

test("an event without end is none", () => {
  const reader = new EventReader();
  expect(() => {
    for (let part = 0; part < 20; part++) {
      reader.read("x".repeat(100_000));
    }
  }).toThrow("no end");
});

test("a change of status is a sentence", () => {
  expect(eventOf(STATUS)).toEqual({ time: "2026-11-27T18:57:15.940Z", name: "status-event",
    text: "node edge1: lost, before connected (<img src=x onerror=alert(1)>)", tenants: [] });
});

test("a change of the configuration names user and paths", () => {
  expect(eventOf(JSON.stringify({ "ietf-restconf:notification": { "event-time": "t", "penstock-state:configuration-event":
    { user: "erika", changes: 2, path: ["PUT a", "DELETE b"] } } }))?.text)
    .toBe("erika changed the configuration: PUT a, DELETE b");
});

test.each([["configuration-event", { tenant: ["red", "blue"] }, ["red", "blue"]], ["quota-event", { tenant: "red" }, ["red"]],
  ["status-event", { kind: "tenant", name: "red" }, ["red"]], ["status-event", { kind: "node", name: "red" }, []]])(
  "%s names tenants", (name, leaves, tenants) => {
    expect(eventOf(JSON.stringify({ "ietf-restconf:notification": { [`penstock-state:${name}`]: leaves } }))?.tenants)
      .toEqual(tenants);
  });

test("an event of a later release has its leaves", () => {
  expect(eventOf(JSON.stringify({ "ietf-restconf:notification": { "event-time": "t", "x:new-event": { a: 1, b: ["c", "d"] } } })))
    .toEqual({ time: "t", name: "new-event", text: "a 1, b c, d", tenants: [] });
});

test.each(["", "{", "null", "[]", "{}", '{"ietf-restconf:notification":1}', '{"ietf-restconf:notification":{"a:b":1}}'])(
  "%s is no event", text => {
    expect(eventOf(text)).toBeUndefined();
  });
