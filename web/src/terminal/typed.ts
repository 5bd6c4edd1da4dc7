// Who typed what into a block, while the page was open; a tab that is loaded again still knows.

import type { StreamEvent } from "./live";

const TYPED_SHOWN = 30;
const BLOCKS_KEPT = 50;

export interface Typed {
  isMine: boolean;
  text: string;
}

export type TypedOf = Record<string, Typed[]>; // by the block's id

export function kept(conversation: string): TypedOf {
  return JSON.parse(sessionStorage.getItem(`typed ${conversation}`) ?? "{}") as TypedOf;
}

export function keep(conversation: string, typed: TypedOf): void {
  const last = Object.entries(typed).slice(-BLOCKS_KEPT);
  if (last.length) sessionStorage.setItem(`typed ${conversation}`, JSON.stringify(Object.fromEntries(last)));
}

/** `mine` is what this page sent and the record has not told yet. */
export function withInput(
  before: TypedOf,
  event: StreamEvent,
  mine: string[],
): TypedOf {
  const block = event["block_id"];
  if (typeof block !== "string") return before;
  const data = event["data"] as string | null;
  const isMine = data !== null && mine[0] === data;
  if (isMine) mine.shift();
  const text = data === null ? `${String(event["length"] ?? "some")} hidden bytes` : legible(data);
  const so = before[block] ?? [];
  const last = so.at(-1);
  // Keys come one at a time, and are read as words.
  const goesOn = last !== undefined && last.isMine && isMine && data?.length === 1 && !last.text.endsWith("⏎");
  const grown = goesOn
    ? [...so.slice(0, -1), { isMine, text: last.text + text }]
    : [...so, { isMine, text }];
  return { ...before, [block]: grown.slice(-TYPED_SHOWN) };
}

function legible(data: string): string {
  return data
    .replaceAll("\r", "⏎")
    .replaceAll("\x1b", "␛")
    .replace(/[\x00-\x1f]/g, (one) => `^${String.fromCharCode(one.charCodeAt(0) + 64)}`);
}
