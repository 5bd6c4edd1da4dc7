// One conversation: its live screen, the line for the next command, and its blocks.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { said, type Block, type Mode } from "../api";
import { ICONS } from "../icons";
import { useLoaded } from "../loaded";
import { asked } from "../looking";
import { followed } from "../router";
import { MODES } from "../words";
import { Blocks } from "./blocks";
import { Card, type Place } from "./cards";
import { Composer, insert } from "./composer";
import type { StreamEvent } from "./live";
import { More } from "./more";
import type { ScreenHandle } from "./screen";
import { Search } from "./search";
import { Inputs, type TypedOf } from "./typed";

const CARDS_SHOWN = 60;

interface Spot {
  block: string;
  place: Place | undefined;
}

/** `#block`, `#block:line`, or with the byte of the line as a search tells it, `#block:line:byte`. */
function spotOf(hash: string): Spot | undefined {
  const [block, line, byte] = decodeURIComponent(hash.replace(/^#/, "")).split(":");
  if (!block) return undefined;
  return { block, place: line ? { line: Number(line) || 1, byte: Number(byte) || 0 } : undefined };
}

export function ConversationView({ id }: { id: string }) {
  const [mode, setMode] = useState<Mode>("idle");
  const [isConnected, setConnected] = useState(false);
  const [blocks, setBlocks] = useState<Block[]>([]);
  const [typed, setTyped] = useState<TypedOf>(new Map());
  const [fault, setFault] = useState("");
  const [spot, setSpot] = useState(spotOf(location.hash));
  const [side, setSide] = useState<"screen" | "blocks">(location.hash ? "blocks" : "screen");
  const [replayed, setReplayed] = useState<Block>();
  const screen = useRef<ScreenHandle>(undefined);
  const composer = useRef<HTMLTextAreaElement>(null);
  const known = useRef<Blocks>(undefined);
  const inputs = useRef<Inputs>(undefined);
  const lazily = useLoaded(() => import("./screen"));

  useEffect(() => {
    known.current = new Blocks(id, setBlocks);
    inputs.current = new Inputs(id, setTyped);
    const moved = () => setSpot(spotOf(location.hash));
    addEventListener("hashchange", moved);
    addEventListener("popstate", moved);
    return () => {
      removeEventListener("hashchange", moved);
      removeEventListener("popstate", moved);
    };
  }, [id]);

  const heard = useCallback((event: StreamEvent) => {
    if (event.type === "mode") setMode(event["mode"] as Mode);
    else if (event.type === "agent_input") void inputs.current?.fetch();
    else if (event.type === "refused") setFault(String(event["message"] ?? event["error"]));
    else known.current?.heard(event);
    if (event.type === "agent_block_begin") void inputs.current?.fetch();
  }, []);

  const connected = useCallback((is: boolean) => {
    setConnected(is);
    if (!is) return;
    void known.current?.fetch();
    void inputs.current?.fetch();
  }, []);

  const call = async (operation: string, fields: Record<string, unknown> = {}) => {
    const answer = await asked<object>(operation, { conversation_id: id, ...fields });
    if (!answer) return false;
    setFault(answer.ok ? "" : said(answer));
    return answer.ok;
  };
  const fit = () => {
    const size = screen.current?.fit();
    if (size) void call("pty.resize", { ...size });
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

  return (
    <div class="conversation">
      <header class="bar">
        <a class="back" href="/" onClick={followed} aria-label="All conversations">{ICONS.back}</a>
        <h1>{id}</h1>
        <span class={`mode ${isConnected ? mode : "away"}`} role="status">{isConnected ? MODES[mode] : "connecting…"}</span>
        <span class="grow" />
        {mode !== "idle" && (
          <button type="button" onClick={() => void call("pty.end_session", {})}>End (Ctrl-C)</button>
        )}
        <button type="button" class="wide" onClick={fit}>Fit to window</button>
        <More id={id} call={call} onFit={fit} />
      </header>
      <div class="sides" role="group" aria-label="Show">
        {(["screen", "blocks"] as const).map((one) => (
          <button key={one} type="button" aria-pressed={side === one} onClick={() => setSide(one)}>
            {one === "screen" ? "Screen" : `Blocks (${blocks.length})`}
          </button>
        ))}
      </div>
      <div class={`halves ${side}-side`}>
        <section class="left" aria-label="Terminal">
          {lazily.it ? (
            <lazily.it.Screen
              conversation={id}
              mode={mode}
              onEvent={heard}
              onConnected={connected}
              onStrayKey={(data) => composer.current && insert(composer.current, data)}
              onLeave={() => composer.current?.focus()}
              handle={screen}
            />
          ) : (
            <div class="screen" aria-busy="true" />
          )}
          <Composer field={composer} mode={mode} blocks={blocks} onRun={run} />
          <p class="fault" role="alert">{fault || lazily.fault}</p>
        </section>
        <section class="right" aria-label="Blocks">
          <Search id={id} blocks={blocks} />
          <Cards blocks={blocks} typed={typed} spot={spot} onReplay={setReplayed} />
        </section>
      </div>
      {replayed && <LazyReplay block={replayed} onClose={() => setReplayed(undefined)} />}
    </div>
  );
}

function Cards({ blocks, typed, spot, onReplay }: {
  blocks: Block[];
  typed: TypedOf;
  spot: Spot | undefined;
  onReplay(block: Block): void;
}) {
  const [shown, setShown] = useState(CARDS_SHOWN);
  const first = spot ? blocks.findIndex((block) => block.block_id === spot.block) : -1;
  const from = Math.max(0, Math.min(blocks.length - shown, first < 0 ? Infinity : first));
  return (
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
          isLinked={spot?.block === block.block_id}
          place={spot?.block === block.block_id ? spot.place : undefined}
          typed={typed.get(block.block_id)}
          onReplay={onReplay}
        />
      ))}
      {blocks.length === 0 && (
        <p class="empty">Nothing has run here yet. Each command becomes a card with its output, its exit code and its time.</p>
      )}
      <Bottom isHeld={spot !== undefined} />
    </div>
  );
}

/** What is new at the end comes into view, unless the reader has gone up to read. */
function Bottom({ isHeld }: { isHeld: boolean }) {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const list = end.current?.parentElement;
    if (!list || isHeld) return;
    let isAtEnd = true;
    let last = 0;
    const follow = () => {
      if (isAtEnd) list.scrollTop = list.scrollHeight;
    };
    const scrolled = () => {
      const isUp = list.scrollTop < last;
      last = list.scrollTop;
      const isNear = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
      if (isUp || isNear) isAtEnd = isNear; // what grows below has not been scrolled away from
    };
    const grown = new MutationObserver(follow);
    grown.observe(list, { childList: true, subtree: true, characterData: true });
    const resized = new ResizeObserver(follow);
    resized.observe(list);
    list.addEventListener("scroll", scrolled);
    follow();
    return () => {
      grown.disconnect();
      resized.disconnect();
      list.removeEventListener("scroll", scrolled);
    };
  }, [isHeld]);
  return <div ref={end} />;
}

function LazyReplay({ block, onClose }: { block: Block; onClose(): void }) {
  const { it } = useLoaded(() => import("./replay"));
  return it ? <it.Replay block={block} onClose={onClose} /> : null;
}
