// SPDX-License-Identifier: Apache-2.0
/** Listens to events by fetch, because EventSource sends no credentials of ours. */
import type { Login } from "../api/session";
import { EventReader, eventOf, type Event } from "../logic/events";

const PATH = "/penstock/events";
const AGAIN_MILLISECONDS = 3000;
/** When as many listen as may, or the account may not. */
const LATER_MILLISECONDS = 30_000;

/** Listens until it is stopped, and begins again when the stream ends. deaf: told why there are no events, or "". */
export async function listen(by: Login, stop: AbortSignal, tell: (event: Event) => void,
    deaf: (why: string) => void): Promise<void> {
  while (!stop.aborted) {
    let pause = AGAIN_MILLISECONDS;
    try {
      const response = await fetch(PATH, { credentials: "omit", cache: "no-store", signal: stop,
        headers: { Authorization: by.authorization, Accept: "text/event-stream" } });
      if (response.status === 403) {
        deaf("Accounts of this role get no events.");
        return;
      }
      if (response.ok && response.body) {
        deaf("");
        await readAll(response.body, tell);
        deaf("The stream of events has ended, and is opened again.");
      } else {
        await response.body?.cancel();
        pause = response.status === 401 ? AGAIN_MILLISECONDS : LATER_MILLISECONDS;
        deaf(response.status === 503 ? "As many clients as possible listen to events already."
          : `The stream of events is refused with ${response.status}.`);
      }
    } catch {
      if (stop.aborted) {
        return;
      }
      deaf("The stream of events is not open.");
    }
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, pause);
      stop.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      }, { once: true });
    });
  }
}

async function readAll(body: ReadableStream<Uint8Array>, tell: (event: Event) => void): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const events = new EventReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    for (const json of events.read(decoder.decode(part.value, { stream: true }))) {
      const event = eventOf(json);
      if (event) {
        tell(event);
      }
    }
  }
}
