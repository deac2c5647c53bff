// SPDX-License-Identifier: Apache-2.0
/** The controller as it is without the page: what the page shows is compared with it. */
import { randomBytes } from "node:crypto";

const { PAGE_URL, PAGE_USER, PAGE_PASSWORD } = process.env;
const TYPE = "application/yang-data+json";

/** A request of the account of the tests. Returns the body; undefined when there is none. */
export async function request(method, path, body) {
  const response = await fetch(`${PAGE_URL}/rests/${path}`, { method, headers: { Accept: TYPE, "Content-Type": TYPE,
    Authorization: `Basic ${Buffer.from(`${PAGE_USER}:${PAGE_PASSWORD}`).toString("base64")}` },
  ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const text = await response.text();
  if (!response.ok) {
    throw new Error(`${method} ${path}: ${response.status} ${text}`);
  }
  return text ? JSON.parse(text) : undefined;
}

export async function call(name, input = {}) {
  const module = name.endsWith("-user") ? "penstock-access" : "penstock-operations";
  return (await request("POST", `operations/${module}:${name}`, { [`${module}:input`]: input }))?.[`${module}:output`];
}

export async function state() {
  return (await request("GET", "data/penstock-state:state?content=nonconfig"))["penstock-state:state"];
}

export async function network() {
  return (await request("GET", "data/penstock:network?content=config"))["penstock:network"];
}

/** Makes an account, which ends with the test. Returns name and password. */
export async function account(test, role, tenants = []) {
  const name = `pg-${role}-${process.pid}`;
  const password = randomBytes(12).toString("hex");
  await call("set-user", { name, role, password, "is-new": true, ...(tenants.length ? { tenant: tenants } : {}) });
  test.after(() => call("delete-user", { name }));
  return { name, password };
}
