// What was said in a session: the server's record, and beside it what it does not keep, refusals
// and help, each where it was said.

import type { Line } from "./wire";

export interface Said {
  who: "you" | "server" | "refused";
  text: string;
}

export interface Besides extends Said {
  after: number; // when the line before it was said
}

const BESIDES_MAX = 100;

export function merged(lines: Line[], besides: Besides[]): Said[] {
  const found: Said[] = [];
  let next = 0;
  const insertBefore = (ts: number) => {
    for (let one = besides[next]; one && one.after < ts; one = besides[++next]) found.push(one);
  };
  for (const { ts, who, text } of lines) {
    insertBefore(ts);
    found.push({ who: who === "user" ? "you" : "server", text });
  }
  insertBefore(Infinity);
  return found;
}

export function withBesides(before: Besides[], lines: Line[], said: Said[]): Besides[] {
  const after = lines.at(-1)?.ts ?? 0;
  return [...before, ...said.filter(({ text }) => text).map((one) => ({ ...one, after }))].slice(-BESIDES_MAX);
}
