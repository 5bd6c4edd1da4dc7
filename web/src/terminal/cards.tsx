// Blocks as cards: the command, how it ended, and its output as text.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { lines, type Piece } from "./ansi";
import { ICONS } from "../icons";
import { asked } from "../looking";
import type { TypedInto } from "./typed";
import { said, type Block } from "../api";
import { clock, duration, size } from "../words";

const PREVIEW_BYTES = 8 << 10;
const PREVIEW_LINES = 8;
const COMMAND_LINES = 3;
const COMMAND_CHARS = 160;
const PAGE_BYTES = 128 << 10;
const NEAR_BYTES = 128 << 10; // a place further in is shown with what stands around it alone
const AROUND_BYTES = { before: 4 << 10, after: 32 << 10 };
const LOOKED_BYTES_MAX = 1 << 20; // for a line whose byte is not known

interface Read {
  data: string;
  resume_cursor: number;
}

/** Of an output: a line, from 1, and a byte of it where that is known. */
export interface Place {
  line: number;
  byte: number;
}

export interface CardProps {
  block: Block;
  isLinked: boolean;
  place: Place | undefined; // to show
  typed: TypedInto | undefined;
  onReplay(block: Block): void;
}

export function Card({ block, isLinked, place, typed, onReplay }: CardProps) {
  const line = place?.line;
  const [output, setOutput] = useState("");
  const [cursor, setCursor] = useState(0);
  const [firstLine, setFirstLine] = useState(1);
  const [isOpen, setOpen] = useState(false);
  const [fault, setFault] = useState("");
  const [isWhole, setWhole] = useState(false); // the command
  const card = useRef<HTMLElement>(null);
  const isOver = block.ts_end !== null;

  const readFrom = async (from: number, bytes: number) => {
    const answer = await asked<Read>("blocks.read", {
      conversation_id: block.conversation_id,
      block_id: block.block_id,
      from_cursor: from,
      max_bytes: bytes,
    });
    if (answer && !answer.ok) setFault(said(answer));
    return answer?.ok ? answer : undefined;
  };
  const read = async (bytes: number, isFresh = false) => {
    const answer = await readFrom(isFresh ? 0 : cursor, bytes);
    if (!answer) return;
    setOutput((before) => (isFresh ? "" : before) + answer.data);
    setCursor(answer.resume_cursor);
    if (isFresh) setFirstLine(1);
  };
  const readAround = async ({ line: number, byte }: Place) => {
    const before = await readFrom(byte - AROUND_BYTES.before, AROUND_BYTES.before);
    const after = before && (await readFrom(byte, AROUND_BYTES.after));
    if (!after) return;
    const whole = before.data.slice(before.data.indexOf("\n") + 1);
    setOutput(whole + after.data);
    setCursor(after.resume_cursor);
    setFirstLine(number - (whole.split("\n").length - 1));
  };

  // The output is fetched when the card comes into view.
  useEffect(() => {
    const element = card.current;
    if (!isOver || !block.output_bytes || !element) return;
    const seen = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) {
        seen.disconnect();
        if (!isFar) void read(PREVIEW_BYTES);
      }
    });
    seen.observe(element);
    return () => seen.disconnect();
  }, [block.block_id, isOver]);

  useEffect(() => {
    if (isLinked) card.current?.scrollIntoView({ block: line ? "start" : "center" });
  }, [isLinked, line]);

  const isFar = place !== undefined && place.byte > NEAR_BYTES;
  useEffect(() => {
    if (!place) return;
    setOpen(true);
    if (isFar) void readAround(place);
    else if (firstLine > 1) void read(PAGE_BYTES, true);
  }, [place?.line, place?.byte]);

  const all = useMemo(() => (output ? lines(output) : []), [output]);
  const hasMore = cursor < block.output_bytes;
  // A line to show may lie beyond what was read.
  useEffect(() => {
    const isWanted = line !== undefined && !isFar && isOpen && firstLine === 1;
    if (isWanted && hasMore && cursor < LOOKED_BYTES_MAX && all.length < line + 20) void read(NEAR_BYTES);
  }, [line, isOpen, cursor]);
  const isRead = line !== undefined && line >= firstLine && line < firstLine + all.length;
  useEffect(() => {
    if (isRead) card.current?.querySelector(".found")?.scrollIntoView({ block: "center" });
  }, [line, isOpen, isRead]);

  const shown = isOpen ? all : all.slice(0, PREVIEW_LINES);
  const isLong = block.cmd.length > COMMAND_CHARS || block.cmd.split("\n", COMMAND_LINES + 1).length > COMMAND_LINES;
  const isFolded = !isOpen && (all.length > PREVIEW_LINES || hasMore);
  return (
    <article
      ref={card}
      id={block.block_id}
      class={`card ${block.status} ${block.exit_code ? "nonzero" : ""} ${isLinked ? "linked" : ""}`}
      aria-label={`Block ${block.seq}: ${isLong ? shortened(block.cmd) : block.cmd}`}
    >
      <header>
        <code class={isWhole ? "cmd whole" : "cmd"} tabIndex={isWhole ? 0 : undefined}>
          {isWhole || !isLong ? block.cmd : shortened(block.cmd)}
        </code>
        <Ending block={block} />
        <span class="facts">
          <span class="cwd" title={block.cwd}>{block.cwd}</span>{" "}
          {isOver ? duration((block.ts_end ?? 0) - block.ts_begin) : "running"} ·{" "}
          <time dateTime={new Date(block.ts_begin).toISOString()}>{clock(block.ts_begin)}</time>
          {typed?.by && <span class="by"> · {typed.by}</span>}
        </span>
        <Tools block={block} output={output} onReplay={onReplay} />
      </header>
      {isLong && (
        <button type="button" class="more" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Less of the command" : `Whole command (${size(block.cmd.length)})`}
        </button>
      )}
      {typed && typed.typed.length > 0 && (
        <ul class="typed" aria-label="Typed">
          {typed.dropped > 0 && <li>{typed.dropped} earlier</li>}
          {typed.typed.map((one, index) => (
            <li key={index}><b>{one.by}:</b> {one.text}</li>
          ))}
        </ul>
      )}
      {firstLine > 1 && (
        <button type="button" class="more" onClick={() => void read(PAGE_BYTES, true)}>
          From the beginning ({firstLine - 1} lines before this)
        </button>
      )}
      {shown.length > 0 && (
        <pre class={isOpen ? "open" : ""} tabIndex={0} aria-label="Output">
          {shown.map((pieces, index) => (
            <Line key={index} pieces={pieces} isFound={firstLine + index === line} />
          ))}
        </pre>
      )}
      {fault && <p class="fault">{fault}</p>}
      {isOver && (isFolded || (isOpen && hasMore)) && (
        <button
          type="button"
          class="more"
          onClick={() => {
            if (hasMore) void read(PAGE_BYTES);
            setOpen(true);
          }}
        >
          {isOpen ? "Read on" : "Show more"} ({size(block.output_bytes)} in all)
        </button>
      )}
      {isOpen && all.length > PREVIEW_LINES && (
        <button type="button" class="more" onClick={() => setOpen(false)}>
          Fold
        </button>
      )}
    </article>
  );
}

function shortened(command: string): string {
  return `${command.split("\n", COMMAND_LINES).join("\n").slice(0, COMMAND_CHARS)} …`;
}

function Line({ pieces, isFound }: { pieces: Piece[]; isFound: boolean }) {
  return (
    <span class={isFound ? "line found" : "line"}>
      {pieces.map((piece, index) => (piece.style ? <span key={index} class={piece.style}>{piece.text}</span> : piece.text))}
      {"\n"}
    </span>
  );
}

function Ending({ block }: { block: Block }) {
  if (block.ts_end === null) return <span class="ending now">…</span>;
  const isWell = block.status === "completed" && block.exit_code === 0;
  const word = block.status === "completed" ? `exit ${block.exit_code}` : block.status;
  const full = block.exit_code === null ? word : `${block.status}, exit code ${block.exit_code}`;
  return (
    <span class={isWell ? "ending well" : "ending ill"} title={full}>
      {isWell ? "ok" : word}
    </span>
  );
}

function Tools({ block, output, onReplay }: {
  block: Block;
  output: string;
  onReplay(block: Block): void;
}) {
  const [done, setDone] = useState("");
  const copy = async (what: string, text: string) => {
    await navigator.clipboard.writeText(text);
    setDone(what);
    window.setTimeout(() => setDone(""), 1500);
  };
  const link = `${location.origin}/t/${block.conversation_id}#${block.block_id}`;
  // By their keys: a button that has the focus stays itself when another comes before it.
  return (
    <span class="tools">
      <span class="done" role="status">{done && `${done} copied`}</span>
      <button key="command" type="button" aria-label="Copy command" onClick={() => void copy("Command", block.cmd)}>{ICONS.copy}command</button>
      {output !== "" && (
        <button key="output" type="button" aria-label="Copy output" onClick={() => void copy("Output", plain(output))}>{ICONS.copy}output</button>
      )}
      <button key="link" type="button" aria-label="Copy link" onClick={() => void copy("Link", link)}>{ICONS.copy}link</button>
      {block.ts_end !== null && (
        <button key="replay" type="button" onClick={() => onReplay(block)}>{ICONS.replay}Replay</button>
      )}
    </span>
  );
}

function plain(output: string): string {
  return lines(output)
    .map((pieces) => pieces.map((piece) => piece.text).join(""))
    .join("\n");
}
