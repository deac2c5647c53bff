// SPDX-License-Identifier: Apache-2.0
/** Changes that are being written, by tenant: another view may be looked at meanwhile. They end with the login. */
import type { Document } from "../logic/edits";

export interface Draft {
  /** The tenant as it was read; undefined for a new one. */
  readonly before: Document | undefined;
  readonly text: string;
}

export const drafts = new Map<string, Draft>();
