// Who typed what into each block, from the server's record: read by cursor, then as it grows.

import { asked } from "../looking";

const PAGE = 200;
const TYPED_SHOWN = 30;
const TEXT_SHOWN = 2000;
const ARROW = /\x1b[[O]([A-D])/g;
const ARROWS: Record<string, string> = { A: "↑", B: "↓", C: "→", D: "←" };

export type By = "agent" | "person" | "program";

interface Input {
  by: By;
  kind: "command" | "input";
  block_id: string | null;
  data?: string | null;
  length?: number;
}

export interface Typed {
  by: By;
  text: string;
  isWhole: boolean; // a key that comes next begins another
  hiddenBytes: number;
}

export interface TypedInto {
  by: By | undefined; // who gave the command, where that is known
  typed: Typed[]; // the newest
  dropped: number; // older ones, not kept here
}

export type TypedOf = ReadonlyMap<string, TypedInto>; // by the block's id

const NOTHING: TypedInto = { by: undefined, typed: [], dropped: 0 };

export class Inputs {
  private known = new Map<string, TypedInto>();
  private cursor = 0;
  private isReading = false;
  private isStale = false;

  constructor(
    private readonly conversation: string,
    private readonly changed: (typed: TypedOf) => void,
  ) {}

  /** All that is new; what comes while it reads is read as well. */
  async fetch(): Promise<void> {
    this.isStale = true;
    if (this.isReading) return;
    this.isReading = true;
    while (this.isStale) {
      this.isStale = false;
      if (await this.read()) this.changed(new Map(this.known));
    }
    this.isReading = false;
  }

  /** Whether there was anything. */
  private async read(): Promise<boolean> {
    const before = this.cursor;
    for (;;) {
      const answer = await asked<{ items: Input[]; resume_cursor: number }>("pty.read_inputs", {
        conversation_id: this.conversation,
        from_cursor: this.cursor,
        limit: PAGE,
      });
      if (!answer?.ok) break;
      for (const one of answer.items) this.take(one);
      this.cursor = answer.resume_cursor;
      if (answer.items.length < PAGE) break;
    }
    return this.cursor > before;
  }

  private take(one: Input): void {
    if (one.block_id === null) return; // at the prompt; the block that it led to says who it was
    const into = this.known.get(one.block_id) ?? NOTHING;
    this.known.set(
      one.block_id,
      one.kind === "command" ? { ...into, by: one.by } : withTyped(into, one),
    );
  }
}

function withTyped(into: TypedInto, { by, data, length }: Input): TypedInto {
  const last = into.typed.at(-1);
  if (data === null || data === undefined) return withHidden(into, last, by, length ?? 0);
  const text = legible(data);
  // Keys come one at a time, and are read as words.
  const isKey = data.replace(ARROW, "x").length === 1;
  const goesOn = last?.by === by && !last.isWhole && isKey;
  const isWhole = text.endsWith("⏎");
  return goesOn
    ? withLast(into, { by, text: (last.text + text).slice(-TEXT_SHOWN), isWhole, hiddenBytes: 0 })
    : withNext(into, { by, text: text.slice(0, TEXT_SHOWN), isWhole, hiddenBytes: 0 });
}

/** What a program hid: how much it was, and no more is known. */
function withHidden(into: TypedInto, last: Typed | undefined, by: By, bytes: number): TypedInto {
  const goesOn = last?.by === by && last.hiddenBytes > 0;
  const hiddenBytes = bytes + (goesOn ? last.hiddenBytes : 0);
  const text = hiddenBytes === 1 ? "1 hidden byte" : `${hiddenBytes} hidden bytes`;
  const one = { by, text, isWhole: true, hiddenBytes };
  return goesOn ? withLast(into, one) : withNext(into, one);
}

function withLast(into: TypedInto, one: Typed): TypedInto {
  return { ...into, typed: [...into.typed.slice(0, -1), one] };
}

function withNext(into: TypedInto, one: Typed): TypedInto {
  const typed = [...into.typed, one];
  const over = Math.max(0, typed.length - TYPED_SHOWN);
  return { ...into, typed: typed.slice(over), dropped: into.dropped + over };
}

function legible(data: string): string {
  return data
    .replaceAll("\r", "⏎")
    .replace(ARROW, (_, one: string) => ARROWS[one] ?? "")
    .replaceAll("\x1b", "Esc ")
    .replace(/[\x00-\x1f\x7f]/g, (one) => `^${String.fromCharCode(one.charCodeAt(0) ^ 64)}`)
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "");
}
