// One conversation: its live screen, the line for the next command, and its blocks.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ask, said, type Block, type Hit, type Mode } from "./api";
import { Blocks } from "./blocks";
import { Card } from "./cards";
import type { StreamEvent } from "./live";
import { exportPath, Replay } from "./replay";
import { Screen, type ScreenHandle } from "./screen";
import { MODES } from "./words";

const CARDS_SHOWN = 60;
const TYPED_SHOWN = 30;

interface Place {
  block: string;
  line: number | undefined;
}

function placeOf(hash: string): Place | undefined {
  const [block, line] = decodeURIComponent(hash.replace(/^#/, "")).split(":");
  return block ? { block, line: line ? Number(line) : undefined } : undefined;
}

export function ConversationView({ id }: { id: string }) {
  const [mode, setMode] = useState<Mode>("idle");
  const [isConnected, setConnected] = useState(false);
  const [blocks, setBlocks] = useState<Block[]>([]);
  const [typed, setTyped] = useState<Record<string, string[]>>({});
  const [fault, setFault] = useState("");
  const [place, setPlace] = useState(placeOf(location.hash));
  const [shown, setShown] = useState(CARDS_SHOWN);
  const [replayed, setReplayed] = useState<Block>();
  const screen = useRef<ScreenHandle>(undefined);
  const composer = useRef<HTMLTextAreaElement>(null);
  const known = useRef<Blocks>(undefined);
  const mine = useRef<string[]>([]); // what this page typed, until the record tells it

  useEffect(() => {
    known.current = new Blocks(id, setBlocks);
    const moved = () => setPlace(placeOf(location.hash));
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, [id]);

  const heard = useCallback((event: StreamEvent) => {
    if (event.type === "mode") setMode(event["mode"] as Mode);
    else if (event.type === "agent_input") setTyped((before) => withInput(before, event, mine.current));
    else if (event.type === "refused") setFault(String(event["message"] ?? event["error"]));
    else known.current?.heard(event);
  }, []);

  const connected = useCallback((is: boolean) => {
    setConnected(is);
    if (is) void known.current?.fetch();
  }, []);

  const call = async (operation: string, fields: Record<string, unknown> = {}) => {
    const answer = await ask<object>(operation, { conversation_id: id, ...fields });
    setFault(answer.ok ? "" : said(answer));
    return answer.ok;
  };
  const run = async (command: string) => {
    const isBegun = await call("pty.exec_interactive", { cmd: command });
    if (isBegun) screen.current?.focus();
    return isBegun;
  };

  // The next command is written where the last one was, once the shell is idle again.
  const before = useRef<Mode>("idle");
  useEffect(() => {
    const isBack = before.current !== "idle" && mode === "idle";
    before.current = mode;
    if (isBack && document.activeElement?.closest(".screen")) composer.current?.focus();
  }, [mode]);

  const first = place ? blocks.findIndex((block) => block.block_id === place.block) : -1;
  const from = Math.max(0, Math.min(blocks.length - shown, first < 0 ? Infinity : first));
  return (
    <div class="conversation">
      <header class="bar">
        <h1>{id}</h1>
        <span class={`mode ${mode}`} role="status">{isConnected ? MODES[mode] : "connecting…"}</span>
        <span class="grow" />
        <button type="button" onClick={() => { const size = screen.current?.fit(); if (size) void call("pty.resize", { ...size }); }}>
          Fit to window
        </button>
        {mode !== "idle" && (
          <button type="button" onClick={() => void call("pty.end_session", {})}>End (Ctrl-C)</button>
        )}
        <More id={id} call={call} />
      </header>
      <div class="halves">
        <section class="left" aria-label="Terminal">
          <Screen
            conversation={id}
            mode={mode}
            onEvent={heard}
            onConnected={connected}
            onTyped={(data) => mine.current.push(data)}
            onStrayKey={(data) => composer.current && insert(composer.current, data)}
            handle={screen}
          />
          <Composer field={composer} mode={mode} blocks={blocks} onRun={run} />
          <p class="fault" role="alert">{fault}</p>
        </section>
        <section class="right" aria-label="Blocks">
          <Search id={id} blocks={blocks} />
          <div class="cards">
            {from > 0 && (
              <button type="button" class="more" onClick={() => setShown(shown + 200)}>
                Earlier blocks ({from})
              </button>
            )}
            {blocks.slice(from).map((block) => (
              <Card
                key={block.block_id}
                block={block}
                isLinked={place?.block === block.block_id}
                line={place?.block === block.block_id ? place.line : undefined}
                typed={typed[block.block_id] ?? []}
                onReplay={setReplayed}
              />
            ))}
            {blocks.length === 0 && <p class="empty">Nothing has run here yet.</p>}
            <Bottom count={blocks.length} isHeld={place !== undefined} />
          </div>
        </section>
      </div>
      {replayed && <Replay block={replayed} onClose={() => setReplayed(undefined)} />}
    </div>
  );
}

/** New cards come into view, unless the reader has gone up to read. */
function Bottom({ count, isHeld }: { count: number; isHeld: boolean }) {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const list = end.current?.parentElement;
    if (!list || isHeld) return;
    const distance = list.scrollHeight - list.scrollTop - list.clientHeight;
    if (distance < 400 || list.scrollTop === 0) list.scrollTop = list.scrollHeight;
  }, [count]);
  return <div ref={end} />;
}

function withInput(
  before: Record<string, string[]>,
  event: StreamEvent,
  mine: string[],
): Record<string, string[]> {
  const block = event["block_id"];
  if (typeof block !== "string") return before;
  const data = event["data"] as string | null;
  const isMine = data !== null && mine[0] === data;
  if (isMine) mine.shift();
  const text = data === null ? `${String(event["length"] ?? "some")} hidden bytes` : legible(data);
  const line = `${isMine ? "you" : "agent"}: ${text}`;
  const so = before[block] ?? [];
  const last = so.at(-1);
  // Keys come one at a time, and are read as words.
  const grown =
    last !== undefined && isMine && data?.length === 1 && last.startsWith("you: ") && !last.endsWith("⏎")
      ? [...so.slice(0, -1), last + text]
      : [...so, line];
  return { ...before, [block]: grown.slice(-TYPED_SHOWN) };
}

function legible(data: string): string {
  return data
    .replaceAll("\r", "⏎")
    .replaceAll("\x1b", "␛")
    .replace(/[\x00-\x1f]/g, (one) => `^${String.fromCharCode(one.charCodeAt(0) + 64)}`);
}

function insert(field: HTMLTextAreaElement, data: string): void {
  if (/[\x00-\x1f\x7f]/.test(data)) return field.focus();
  field.focus();
  field.setRangeText(data, field.selectionStart, field.selectionEnd, "end");
}

function Composer({ field, mode, blocks, onRun }: {
  field: { current: HTMLTextAreaElement | null };
  mode: Mode;
  blocks: Block[];
  onRun(command: string): Promise<boolean>;
}) {
  const back = useRef(0); // how many commands ago
  const isIdle = mode === "idle";
  const submit = async () => {
    const element = field.current;
    const command = element?.value ?? "";
    if (!element || !command.trim() || !isIdle) return;
    if (await onRun(command)) {
      element.value = "";
      back.current = 0;
    }
  };
  const recall = (step: number) => {
    const element = field.current;
    if (!element) return;
    const commands = [...new Set(blocks.map((block) => block.cmd).reverse())];
    back.current = Math.max(0, Math.min(commands.length, back.current + step));
    element.value = back.current ? (commands[back.current - 1] ?? "") : "";
  };
  const pressed = (event: KeyboardEvent) => {
    const element = event.currentTarget as HTMLTextAreaElement;
    const isOneLine = !element.value.includes("\n");
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      void submit();
    } else if (event.key === "ArrowUp" && isOneLine) {
      event.preventDefault();
      recall(1);
    } else if (event.key === "ArrowDown" && isOneLine) {
      event.preventDefault();
      recall(-1);
    }
  };
  return (
    <form class="composer" onSubmit={(event) => { event.preventDefault(); void submit(); }}>
      <label class="prompt" for="command">{isIdle ? "❯" : "…"}</label>
      <textarea
        id="command"
        ref={field}
        rows={1}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        aria-label="Command"
        placeholder={isIdle ? "A command; Enter runs it, Shift-Enter begins a line" : "Something runs: keys go to the screen"}
        onKeyDown={pressed}
      />
      <button type="submit" disabled={!isIdle}>Run</button>
    </form>
  );
}

function Search({ id, blocks }: { id: string; blocks: Block[] }) {
  const [query, setQuery] = useState("");
  const [isRegex, setRegex] = useState(false);
  const [hits, setHits] = useState<Hit[]>();
  const [fault, setFault] = useState("");
  const search = async (event: Event) => {
    event.preventDefault();
    if (!query) return setHits(undefined);
    const answer = await ask<{ hits: Hit[] }>("blocks.search", {
      conversation_id: id,
      query,
      match_type: isRegex ? "regex" : "substring",
      ignore_case: true,
      limit: 100,
    });
    setFault(answer.ok ? "" : said(answer));
    if (answer.ok) setHits(answer.hits);
  };
  const commands = new Map(blocks.map((block) => [block.block_id, block.cmd]));
  return (
    <search>
      <form class="search" onSubmit={(event) => void search(event)}>
        <input
          type="search"
          aria-label="Search all output"
          placeholder="Search all output"
          value={query}
          onInput={(event) => { setQuery(event.currentTarget.value); if (!event.currentTarget.value) setHits(undefined); }}
        />
        <label>
          <input type="checkbox" checked={isRegex} onChange={(event) => setRegex(event.currentTarget.checked)} /> regex
        </label>
        <button type="submit">Search</button>
      </form>
      {fault && <p class="fault" role="alert">{fault}</p>}
      {hits && (
        <ol class="hits" aria-label="Found">
          {hits.length === 0 && <li>Nothing found.</li>}
          {hits.map((hit) => (
            <li key={`${hit.block_id}:${hit.line}:${hit.cursor}`}>
              <a href={`#${hit.block_id}:${hit.line}`}>
                <code>{hit.text.slice(0, 300)}</code>
                <small>{commands.get(hit.block_id) ?? hit.block_id}, line {hit.line}</small>
              </a>
            </li>
          ))}
        </ol>
      )}
    </search>
  );
}

function More({ id, call }: {
  id: string;
  call(operation: string, fields?: Record<string, unknown>): Promise<boolean>;
}) {
  const confirmed = (question: string, operation: string) => {
    if (confirm(question)) void call(operation);
  };
  return (
    <details class="menu">
      <summary>More</summary>
      <div>
        <a href={exportPath(id, "asciicast")} download={`${id}.cast`}>Download as asciicast</a>
        <a href={exportPath(id, "text")} download={`${id}.txt`}>Download as text</a>
        <button type="button" onClick={() => confirmed("End what runs and begin a fresh shell?", "pty.reset")}>
          Reset the shell
        </button>
        <button type="button" onClick={() => confirmed("End the shell and all that came from it?", "pty.close")}>
          Close the shell
        </button>
      </div>
    </details>
  );
}
