// SPDX-License-Identifier: Apache-2.0
import type { Counter } from "../api/model";
import { count } from "./numbers";

/** Sorted by a counter, the largest first; equal ones stay in their order. */
export function byNumber<T>(all: readonly T[], of: (each: T) => Counter): readonly T[] {
  return [...all].sort((one, other) => {
    const difference = count(of(other)) - count(of(one));
    return difference > 0n ? 1 : difference < 0n ? -1 : 0;
  });
}
