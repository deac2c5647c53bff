// SPDX-License-Identifier: Apache-2.0
/** The question why packets do not pass, and the way that its answer describes: pure functions. */
import type { Step } from "../api/model";

export interface Question {
  readonly host: string;
  readonly destination: string;
  readonly port: string;
  readonly protocol: string;
  readonly inbound: boolean;
}

const MOST_PORT = 65_535;

/** A port of a text. A text that is none answers with what is wrong. */
export function portOf(text: string): number | string {
  const port = text.trim();
  return /^\d{1,5}$/.test(port) && Number(port) <= MOST_PORT ? Number(port)
    : `The port is a number from 0 to ${MOST_PORT}.`;
}

/** The input of the RPC: what is empty is left out. A text says what is wrong with the question. */
export function inputOf(tenant: string, question: Question): Record<string, unknown> | string {
  const port = question.port.trim() ? portOf(question.port) : undefined;
  if (typeof port === "string") {
    return port;
  }
  if (question.inbound && (!question.host.trim() || !question.destination.trim())) {
    return "For a connection from outside, name the external host and the public address.";
  }
  const input: Record<string, unknown> = { tenant };
  for (const leaf of ["host", "destination", "protocol"] as const) {
    if (question[leaf].trim()) {
      input[leaf] = question[leaf].trim();
    }
  }
  if (port !== undefined) {
    input["port"] = port;
  }
  if (question.inbound) {
    input["inbound"] = true;
  }
  return input;
}

/** A step, and where it stands on the packet's way. */
export interface Placed {
  readonly step: Step;
  /** The packet ends here: the first step that fails. What comes behind it was looked at, and is not reached. */
  readonly place: "passed" | "end" | "behind";
}

export function way(steps: readonly Step[]): readonly Placed[] {
  const end = steps.findIndex(step => step.verdict === "fails");
  return steps.map((step, number) => ({ step,
    place: end < 0 || number < end ? "passed" : number === end ? "end" : "behind" }));
}
