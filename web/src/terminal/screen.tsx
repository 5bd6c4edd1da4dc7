// The live screen: what the program shows, and the keys that go to it.

import { Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { useEffect, useRef } from "preact/hooks";
import type { Mode } from "../api";
import { Live, type StreamEvent } from "./live";
import { theme } from "./theme";

const SCROLLBACK_LINES = 5000;
const FONT_PX = { min: 11, max: 14 }; // a wider screen is scrolled, not made too small to read
const FONT = 'ui-monospace, "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';
const WIDTH_OF_FONT = 0.61; // of a character, as a part of its height; monospace fonts agree
const LINE_HEIGHT = 1.15; // below it the underscores of some fonts are cut off at some sizes
const HEIGHT_OF_FONT = 1.18 * LINE_HEIGHT; // of a line

export interface ScreenProps {
  conversation: string;
  mode: Mode;
  onEvent(event: StreamEvent): void;
  onConnected(is: boolean): void;
  onStrayKey(data: string): void; // typed while no program reads
  onLeave(): void; // the one key that is the page's and not the program's
  handle: { current: ScreenHandle | undefined };
}

export interface ScreenHandle {
  focus(): void;
  fit(): { cols: number; rows: number };
}

/** The server's own screen answers what programs ask; a second answer would be typed input. */
function keepSilent(terminal: Terminal): void {
  const swallow = () => true;
  const { parser } = terminal;
  for (const prefix of [undefined, ">", "=", "?"]) {
    for (const final of ["c", "n"]) {
      parser.registerCsiHandler(prefix ? { prefix, final } : { final }, swallow);
    }
  }
  parser.registerCsiHandler({ intermediates: "$", final: "p" }, swallow);
  parser.registerCsiHandler({ prefix: "?", intermediates: "$", final: "p" }, swallow);
  parser.registerCsiHandler({ prefix: ">", final: "q" }, swallow);
  parser.registerDcsHandler({ intermediates: "$", final: "q" }, swallow);
  parser.registerDcsHandler({ intermediates: "+", final: "q" }, swallow);
  // Titles, links, the clipboard and colours asked for are not obeyed; marks of ours say nothing.
  for (const number of [0, 1, 2, 4, 7, 8, 9, 10, 11, 12, 52, 104, 133, 1337, 7770]) {
    parser.registerOscHandler(number, swallow);
  }
}

export function Screen(props: ScreenProps) {
  const host = useRef<HTMLDivElement>(null);
  const now = useRef(props);
  now.current = props;

  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const terminal = new Terminal({
      allowProposedApi: false,
      cursorBlink: false,
      fontFamily: FONT,
      fontSize: FONT_PX.max,
      lineHeight: LINE_HEIGHT,
      scrollback: SCROLLBACK_LINES,
      screenReaderMode: true,
      theme: theme(),
      cols: 120,
      rows: 40,
    });
    keepSilent(terminal);
    terminal.open(element);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const repaint = () => (terminal.options.theme = theme());
    dark.addEventListener("change", repaint);

    const sizeFont = () => {
      if (!element.clientWidth) return; // not shown on a narrow window
      const wanted = element.clientWidth / (terminal.cols * WIDTH_OF_FONT);
      const size = Math.floor(Math.max(FONT_PX.min, Math.min(FONT_PX.max, wanted)) * 2) / 2;
      if (terminal.options.fontSize !== size) terminal.options.fontSize = size;
    };
    const watching = new ResizeObserver(sizeFont);
    watching.observe(element);

    const live = new Live(props.conversation, {
      bytes: (data, done) => terminal.write(data, done),
      fresh: (cols, rows) => {
        terminal.reset();
        terminal.resize(cols, rows);
        sizeFont();
      },
      event: (event) => {
        if (event.type === "resize") {
          terminal.resize(event["cols"] as number, event["rows"] as number);
          sizeFont();
        }
        now.current.onEvent(event);
      },
      connected: (is) => now.current.onConnected(is),
    });
    const typing = terminal.onData((data) => {
      if (now.current.mode === "idle") now.current.onStrayKey(data);
      else live.send({ type: "input", data });
    });
    terminal.attachCustomKeyEventHandler((event) => {
      const isLeaving = event.key === "F6" && event.shiftKey;
      if (isLeaving && event.type === "keydown") {
        event.preventDefault();
        now.current.onLeave();
      }
      return !isLeaving;
    });
    props.handle.current = {
      focus: () => terminal.focus(),
      fit: () => ({
        cols: Math.max(20, Math.min(500, Math.floor(element.clientWidth / (FONT_PX.max * WIDTH_OF_FONT)))),
        rows: Math.max(5, Math.min(300, Math.floor(element.clientHeight / (FONT_PX.max * HEIGHT_OF_FONT)))),
      }),
    };
    return () => {
      typing.dispose();
      watching.disconnect();
      dark.removeEventListener("change", repaint);
      live.close();
      terminal.dispose();
      props.handle.current = undefined;
    };
  }, [props.conversation]);

  return <div class="screen" ref={host} role="region" aria-label="Live screen; Shift-F6 leaves it" />;
}
