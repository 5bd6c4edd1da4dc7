// Blocks as cards: the command, how it ended, and its output as text.

import { useEffect, useRef, useState } from "preact/hooks";
import { lines, type Piece } from "./ansi";
import { ICONS } from "../icons";
import { asked } from "../looking";
import type { Typed } from "./typed";
import { said, type Block } from "../api";
import { clock, duration, size } from "../words";

const PREVIEW_BYTES = 8 << 10;
const PREVIEW_LINES = 8;
const PAGE_BYTES = 128 << 10;

interface Read {
  data: string;
  resume_cursor: number;
}

export interface CardProps {
  block: Block;
  isLinked: boolean;
  line: number | undefined; // to show, from 1
  typed: Typed[];
  onReplay(block: Block): void;
}

export function Card({ block, isLinked, line, typed, onReplay }: CardProps) {
  const [output, setOutput] = useState("");
  const [cursor, setCursor] = useState(0);
  const [isOpen, setOpen] = useState(false);
  const [fault, setFault] = useState("");
  const card = useRef<HTMLElement>(null);
  const isOver = block.ts_end !== null;

  const read = async (bytes: number) => {
    const answer = await asked<Read>("blocks.read", {
      conversation_id: block.conversation_id,
      block_id: block.block_id,
      from_cursor: cursor,
      max_bytes: bytes,
    });
    if (!answer) return;
    if (!answer.ok) return setFault(said(answer));
    setOutput((before) => before + answer.data);
    setCursor(answer.resume_cursor);
  };

  // The output is fetched when the card comes into view.
  useEffect(() => {
    const element = card.current;
    if (!isOver || !block.output_bytes || !element) return;
    const seen = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) {
        seen.disconnect();
        void read(PREVIEW_BYTES);
      }
    });
    seen.observe(element);
    return () => seen.disconnect();
  }, [block.block_id, isOver]);

  useEffect(() => {
    if (isLinked) card.current?.scrollIntoView({ block: line ? "start" : "center" });
  }, [isLinked, line]);

  useEffect(() => {
    if (line !== undefined) setOpen(true);
  }, [line]);

  const all = output ? lines(output) : [];
  const hasMore = cursor < block.output_bytes;
  // A line to show may lie beyond what was read.
  useEffect(() => {
    if (line !== undefined && isOpen && hasMore && all.length < line + 20) void read(1 << 20);
  }, [line, isOpen, cursor]);
  useEffect(() => {
    if (line === undefined || all.length < line) return;
    card.current?.querySelector(".found")?.scrollIntoView({ block: "center" });
  }, [line, isOpen, all.length >= (line ?? Infinity)]);

  const shown = isOpen ? all : all.slice(0, PREVIEW_LINES);
  const isFolded = !isOpen && (all.length > PREVIEW_LINES || hasMore);
  return (
    <article
      ref={card}
      id={block.block_id}
      class={`card ${block.status} ${block.exit_code ? "nonzero" : ""} ${isLinked ? "linked" : ""}`}
      aria-label={`Block ${block.seq}: ${block.cmd}`}
    >
      <header>
        <code class="cmd" title={block.cmd}>
          {block.cmd}
        </code>
        <Ending block={block} />
        <span class="facts">
          <span class="cwd" title={block.cwd}>{block.cwd}</span>{" "}
          {isOver ? duration((block.ts_end ?? 0) - block.ts_begin) : "running"} ·{" "}
          <time dateTime={new Date(block.ts_begin).toISOString()}>{clock(block.ts_begin)}</time>
        </span>
        <Tools block={block} output={output} onReplay={onReplay} />
      </header>
      {typed.length > 0 && (
        <ul class="typed" aria-label="Typed">
          {typed.map((one, index) => (
            <li key={index}><b>{one.isMine ? "you" : "another"}:</b> {one.text}</li>
          ))}
        </ul>
      )}
      {shown.length > 0 && (
        <pre tabIndex={0} aria-label="Output">
          {shown.map((pieces, index) => (
            <Line key={index} pieces={pieces} isFound={index + 1 === line} />
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
