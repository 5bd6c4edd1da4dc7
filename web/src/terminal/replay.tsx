// A block, again, in the time it took: from the asciicast that anyone can download.

import { Terminal } from "@xterm/xterm";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Block } from "../api";
import { castOf, exportPath } from "./cast";
import { theme } from "./theme";

// A pause in which nothing is to be seen need not be waited for.
const PAUSE_S_MAX = 2;

export function Replay({ block, onClose }: { block: Block; onClose(): void }) {
  const host = useRef<HTMLDivElement>(null);
  const dialog = useRef<HTMLDialogElement>(null);
  const [speed, setSpeed] = useState(1);
  const [round, setRound] = useState(0);
  const [fault, setFault] = useState("");
  const [at, setAt] = useState("");
  const pace = useRef(speed);
  pace.current = speed;

  useEffect(() => dialog.current?.showModal(), []);

  useEffect(() => {
    const element = host.current;
    if (!element) return;
    let isOver = false;
    let terminal: Terminal | undefined;
    const play = async () => {
      const response = await fetch(exportPath(block.conversation_id, "asciicast", block.block_id));
      if (!response.ok) return setFault("there is no recording of this block");
      const cast = castOf(await response.text());
      if (isOver) return;
      terminal = new Terminal({ cols: cast.cols, rows: cast.rows, fontSize: 12, lineHeight: 1.15, disableStdin: true, theme: theme() });
      terminal.open(element);
      for (const [interval, code, data] of cast.events) {
        await new Promise((next) => setTimeout(next, (Math.min(interval, PAUSE_S_MAX) * 1000) / pace.current));
        if (isOver) return;
        if (code === "o") terminal.write(data);
        else if (code === "r") {
          const [cols, rows] = data.split("x").map(Number);
          if (cols && rows) terminal.resize(cols, rows);
        }
      }
      setAt("the end");
    };
    void play();
    return () => {
      isOver = true;
      terminal?.dispose();
    };
  }, [block.block_id, round]);

  return (
    <dialog ref={dialog} class="dialog replay" onClose={onClose} aria-label={`Replay of ${block.cmd}`}>
      <header>
        <code>{block.cmd}</code>
        <label>
          Speed{" "}
          <select value={speed} onChange={(event) => setSpeed(Number(event.currentTarget.value))}>
            {[0.5, 1, 2, 4, 16].map((one) => (
              <option key={one} value={one}>{one}×</option>
            ))}
          </select>
        </label>
        <button type="button" onClick={() => { setAt(""); setRound(round + 1); }}>Again</button>
        <button type="button" onClick={() => dialog.current?.close()}>Close</button>
      </header>
      <div ref={host} class="screen" />
      <p role="status">{fault || at}</p>
    </dialog>
  );
}
