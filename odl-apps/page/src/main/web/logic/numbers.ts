// SPDX-License-Identifier: Apache-2.0
/** Counters, ages and words with numbers. */
import type { Counter } from "../api/model";

/** A counter of 64 bits; 0 when it is absent. */
export function count(value: Counter): bigint {
  try {
    return value === undefined ? 0n : BigInt(value);
  } catch {
    return 0n;
  }
}

/** With a comma between thousands. */
export function grouped(value: Counter | bigint): string {
  return (typeof value === "bigint" ? value : count(value)).toLocaleString("en");
}

/** "1 node", "2 nodes". */
export function many(number: number, noun: string): string {
  return `${grouped(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** A duration for people, two units at most: "40 s", "3 min 5 s", "2 h 10 min", "3 d 4 h". */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const units: [string, number][] = [["d", 86_400], ["h", 3600], ["min", 60], ["s", 1]];
  const first = units.findIndex(([, size]) => whole >= size);
  if (first < 0) {
    return "0 s";
  }
  let rest = whole;
  return units.slice(first, first + 2).map(([name, size]) => {
    const number = Math.floor(rest / size);
    rest -= number * size;
    return number ? `${number} ${name}` : "";
  }).filter(text => text).join(" ");
}

/** A time of the controller as local text; the text itself if it is no time. */
export function localTime(text: string | undefined): string {
  const time = new Date(text ?? "");
  return Number.isNaN(time.getTime()) ? text ?? "" : time.toLocaleString("sv-SE");
}

/** Used of size in percent, 0..100; 0 of nothing. */
export function percent(used: Counter, size: Counter): number {
  const all = count(size);
  return all > 0n ? Math.min(100, Number(count(used) * 100n / all)) : 0;
}
