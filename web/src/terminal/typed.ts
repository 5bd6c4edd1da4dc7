// Who typed what into a block, while the page was open.

import type { StreamEvent } from "./live";

const TYPED_SHOWN = 30;

export interface Typed {
  isMine: boolean;
  text: string;
}

/** `mine` is what this page sent and the record has not told yet. */
export function withInput(
  before: Record<string, Typed[]>,
  event: StreamEvent,
  mine: string[],
): Record<string, Typed[]> {
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
