// SPDX-License-Identifier: Apache-2.0
/** Which rows of a long list are drawn. */

export interface Window {
  readonly first: number;
  /** One behind the last. */
  readonly behind: number;
}

/** Rows beyond both ends, so that a step of the keyboard or the wheel finds them drawn. */
const MORE = 10;

/** @param top of the visible part, in pixels from the start of the list */
export function windowOf(top: number, visible: number, row: number, rows: number): Window {
  const first = Math.min(Math.max(0, rows - 1), Math.max(0, Math.floor(top / row) - MORE));
  return { first, behind: Math.min(rows, Math.ceil((Math.max(0, top) + visible) / row) + MORE) };
}
