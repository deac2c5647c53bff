// SPDX-License-Identifier: Apache-2.0
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { JSX } from "preact";
import { Refused, send, textOf } from "../api/restconf";
import { begin, ended, loginOf } from "../api/session";

/** A request that needs a login; an answer of 403 shows that the login is right, too. */
const PROBE = "data/penstock-state:state?content=nonconfig&fields=pool(name)";

export function LoginForm(): JSX.Element {
  const user = useSignal("");
  const password = useSignal("");
  const fault = useSignal("");
  const isBusy = useSignal(false);
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy.value) {
      return;
    }
    isBusy.value = true;
    fault.value = await refusal(user.value, password.value);
    isBusy.value = false;
    if (fault.value) {
      password.value = "";
    }
  };
  return <form class="login" onSubmit={event => void submit(event as unknown as SubmitEvent)}>
    <h1 tabIndex={-1}>Log in</h1>
    {ended.value && <p role="status">{ended.value}</p>}
    {fault.value && <p role="alert" class="fault">{fault.value}</p>}
    <label>Account<input ref={first} name="user" autocomplete="username" required value={user.value}
      onInput={event => { user.value = event.currentTarget.value; }} /></label>
    <label>Password<input name="password" type="password" autocomplete="current-password" required
      value={password.value} onInput={event => { password.value = event.currentTarget.value; }} /></label>
    <button type="submit" disabled={isBusy.value}>Log in</button>
    <p class="quiet">Accounts are made by ./penstock user add. The password of admin is in the file password of the
      controller's directory.</p>
  </form>;
}

/** Logs in. Answers with why that failed; empty if it did not. */
async function refusal(user: string, password: string): Promise<string> {
  if (user.includes(":")) {
    return "No account has a colon in its name.";
  }
  const asked = loginOf(user, password);
  try {
    await send(asked, "GET", PROBE);
  } catch (error) {
    if (!(error instanceof Refused)) {
      return `The controller does not answer: ${textOf(error)}.`;
    }
    if (error.status === 401) {
      return "Account or password are not right.";
    }
    if (error.status !== 403 && error.tag !== "data-missing" && error.status !== 404) {
      return `The controller refuses the login: ${textOf(error)}`;
    }
  }
  begin(asked);
  return "";
}
