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
import { TouchKeys } from "./touch_keys";
import { Inputs, type TypedOf } from "./typed";

const CARDS_SHOWN = 60;
const CARDS_BEFORE = 10; // a linked one, when the newest is far from it
const CARDS_MORE = 200;

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

/** `isOpen`: a shell is there; undefined: there is no such conversation, or it is not known yet. */
export function ConversationView({ id, isOpen }: { id: string; isOpen: boolean | undefined }) {
  const [mode, setMode] = useState<Mode>("idle");
  const [isConnected, setConnected] = useState(false);
  const [blocks, setBlocks] = useState<Block[]>([]);
  const [typed, setTyped] = useState<TypedOf>(new Map());
  const [fault, setFault] = useState("");
  const [isMissing, setMissing] = useState(false);
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

  const fetched = useCallback(() => {
    void known.current?.fetch();
    void inputs.current?.fetch();
  }, []);

  const heard = useCallback((event: StreamEvent) => {
    if (event.type === "gap") fetched(); // events were left out: what they told of is read
    else if (event.type === "mode") setMode(event["mode"] as Mode);
    else if (event.type === "agent_input") void inputs.current?.fetch();
    else if (event.type === "refused" && event["error"] === "not_found") setMissing(true);
    else if (event.type === "refused") setFault(String(event["message"] ?? event["error"]));
    else known.current?.heard(event);
    if (event.type === "agent_block_begin") void inputs.current?.fetch();
  }, [fetched]);

  const connected = useCallback((is: boolean) => {
    setConnected(is);
    if (!is) return;
    setMissing(false);
    fetched();
  }, [fetched]);

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
        <span class={`mode ${isConnected && isOpen !== false ? mode : "away"}`} role="status">
          {isMissing ? "not there" : !isConnected ? "connecting…" : isOpen === false ? "closed" : MODES[mode]}
        </span>
        <span class="grow" />
        {mode !== "idle" && (
          <button type="button" aria-label="End (Ctrl-C)" onClick={() => void call("pty.end_session", {})}>
            End<span class="wide"> (Ctrl-C)</span>
          </button>
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
          {mode !== "idle" && <TouchKeys onKeys={(keys) => void call("pty.send", { keys })} />}
          <Composer field={composer} mode={mode} isOpen={isOpen !== false && !isMissing} blocks={blocks} onRun={run} />
          {isMissing && <p class="empty" role="status">There is no conversation of this name. A command opens one.</p>}
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
  const [more, setMore] = useState({ before: 0, after: 0 });
  useEffect(() => setMore({ before: 0, after: 0 }), [spot?.block]);
  const linked = spot ? blocks.findIndex((block) => block.block_id === spot.block) : -1;
  const newest = Math.max(0, blocks.length - CARDS_SHOWN);
  const isFar = linked >= 0 && linked < newest;
  const from = Math.max(0, (isFar ? linked - CARDS_BEFORE : newest) - more.before);
  const to = isFar ? Math.min(blocks.length, linked - CARDS_BEFORE + CARDS_SHOWN + more.after) : blocks.length;
  return (
    <>
      {spot && linked < 0 && blocks.length > 0 && <p class="empty" role="status">There is no block {spot.block} here; these are the newest.</p>}
      <div class="cards">
        {from > 0 && (
          <button type="button" class="more" onClick={() => setMore({ ...more, before: more.before + CARDS_MORE })}>
            Earlier blocks ({from})
          </button>
        )}
        {blocks.slice(from, to).map((block) => (
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
        {to < blocks.length && (
          <button type="button" class="more" onClick={() => setMore({ ...more, after: more.after + CARDS_MORE })}>
            Later blocks ({blocks.length - to})
          </button>
        )}
        <Bottom isHeld={linked >= 0} />
      </div>
    </>
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
