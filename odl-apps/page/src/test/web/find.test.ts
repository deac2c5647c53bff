// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { addressOf, contains, find, macOf } from "../../main/web/logic/find";

const STATE = { tenant: [
  { name: "red", status: "active", "public-address": "203.0.113.1", attachment: [{ name: "office", node: "edge1",
    port: "acc0", vlan: 100 }] },
  { name: "red-two", status: "waiting", attachment: [{ name: "shop", node: "edge2", port: "acc1", vlan: 200 }],
    "public-prefix": [{ kind: "port-block", "inside-prefix": "10.1.0.0/16", "public-prefix": "198.51.100.0/28" }] },
  { name: "blue", status: "active", attachment: [] },
] };
const NETWORK = { tenant: [
  { name: "red", subnet: [{ name: "lan", prefix: "10.0.0.0/24" }], nat: { "port-forward": [{ name: "web",
    "public-port": 8080 }] } },
  { name: "red-two", subnet: [{ name: "lan", prefix: "10.1.0.0/16" }], ipv6: { subnet: [{ prefix: "2001:db8::/64" }] } },
  { name: "blue", subnet: [{ name: "lan", prefix: "10.0.0.0/16" }], nat: { "one-to-one": [{ "inside-prefix": "10.0.9.0/29",
    "public-prefix": "192.0.2.8/29" }] } },
] };
const LEASES = [{ tenant: "blue", address: "10.0.0.7", mac: "02:00:00:00:00:0a", state: "bound", "host-name": "Printer" }];

const names = (text: string, status = ""): string[] =>
  find(text, status, STATE, NETWORK, LEASES).map(each => each.tenant.name);

test.each([
  ["", ["blue", "red", "red-two"]],
  ["  RED ", ["red", "red-two"]],
  ["203.0.113.1", ["red"]],
  ["203.0.113.10", []],
  ["198.51.100.15", ["red-two"]],
  ["198.51.100.16", []],
  ["192.0.2.9", ["blue"]],
  ["10.0.0.7", ["blue", "red"]],
  ["10.1.2.3", ["red-two"]],
  ["2001:DB8:0::9", ["red-two"]],
  ["02-00-00-00-00-0A", ["blue"]],
  ["0200.0000.000a", ["blue"]],
  ["printer", ["blue"]],
  ["100", ["red"]],
  ["vlan 200", ["red-two"]],
  ["8080", ["red"]],
  ["edge2", ["red-two"]],
  ["edge1/acc0", ["red"]],
  ["office", ["red"]],
  [".*", []],
  ["<script>", []],
  ["__proto__", []],
])("%s finds %j", (text, expected) => {
  expect(names(text)).toEqual(expected);
});

test("a status selects", () => {
  expect(names("", "waiting")).toEqual(["red-two"]);
  expect(names("red", "active")).toEqual(["red"]);
});

test("a match says what it is", () => {
  expect(find("10.0.0.7", "", STATE, NETWORK, LEASES).map(each => each.because)).toEqual([
    "lease of 10.0.0.7 (Printer), 02:00:00:00:00:0a: bound", "subnet 10.0.0.0/24"]);
});

test("without configuration and leases names, VLANs and public addresses are found", () => {
  expect(find("203.0.113.1", "", STATE, undefined, []).map(each => each.tenant.name)).toEqual(["red"]);
});

test("no short form is an address", () => {
  expect(addressOf("10.1")).toBeUndefined();
  expect(addressOf("100")).toBeUndefined();
  expect(addressOf("256.0.0.1")).toBeUndefined();
  expect(addressOf("010.0.0.1")).toBeUndefined();
  expect(macOf("2001:db8::1")).toBeUndefined();
});

test("a prefix that is none contains nothing", () => {
  const address = addressOf("10.0.0.1");
  expect(address && ["", "x", "10.0.0.0/99", "::/0", undefined].map(prefix => contains(prefix, address)))
    .toEqual([false, false, false, false, false]);
});

/** Of Node. A clock on the wall tells of what else the machine does. */
declare const process: { cpuUsage(before?: unknown): { user: number; system: number } };

test("ten thousand tenants are searched within a moment", () => {
  const tenant = Array.from({ length: 10_000 }, (_, number) => ({ name: `t${number}`, status: "active",
    attachment: [{ name: "a", node: "n", port: "p", vlan: number % 4094 }] }));
  const network = { tenant: tenant.map(({ name }) => ({ name, subnet: [{ name: "lan", prefix: "10.0.0.0/24" }] })) };
  const before = process.cpuUsage();
  expect(find("10.0.0.9", "", { tenant }, network, [])).toHaveLength(10_000);
  const { user, system } = process.cpuUsage(before);
  expect(user + system, "microseconds of computing").toBeLessThan(3_000_000);
});
