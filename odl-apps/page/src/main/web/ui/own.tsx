// SPDX-License-Identifier: Apache-2.0
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { entry, read, textOf } from "../api/restconf";
import { fragmentOf } from "../logic/route";
import { lookAt } from "../state/follow";

/** Of an account that sees certain tenants alone: the controller tells it of no list of them. */
export function OwnForm(): JSX.Element {
  const name = useSignal("");
  const fault = useSignal("");
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const tenant = name.value.trim();
    try {
      const found = await read(`penstock-state:state/${entry("tenant", tenant)}?content=nonconfig`);
      if (found === undefined) {
        fault.value = `There is no tenant ${tenant}.`;
        return;
      }
      location.hash = fragmentOf({ view: "tenant", tenant });
      await lookAt(tenant);
    } catch (error) {
      fault.value = `${textOf(error)}. Name a tenant of this account.`;
    }
  };
  return <form class="login" onSubmit={event => void submit(event as unknown as SubmitEvent)}>
    <h1 tabIndex={-1}>Your tenant</h1>
    <p>This account sees its own tenants alone.</p>
    {fault.value && <p role="alert" class="fault">{fault.value}</p>}
    <label>Name of the tenant<input required value={name.value} autocomplete="off"
      onInput={event => { name.value = event.currentTarget.value; }} /></label>
    <button type="submit">Show it</button>
  </form>;
}
