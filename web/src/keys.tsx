// Keys of the whole page, and the list of them.  Keys that a program on the screen, a field or
// the editor wants are theirs.

import { useEffect, useRef } from "preact/hooks";

const LISTED: [string, string][] = [
  ["Alt+1 … Alt+4", "Terminal, Questions, REPL, Tasks"],
  ["1 … 9", "answer the question that has the focus"],
  ["/", "search the output of a conversation"],
  ["Enter, Shift+Enter", "run the command; begin another line"],
  ["Up, Down", "earlier commands"],
  ["Shift+F6", "leave the live screen, which takes all other keys"],
  ["Ctrl+Enter", "check the program in the editor"],
  ["?", "this list"],
];

export function isWriting(target: EventTarget | null): boolean {
  const element = target instanceof HTMLElement ? target : null;
  return element?.closest("input, textarea, select, [contenteditable], .xterm, .cm-editor") != null;
}

export function Keys({ onView }: { onView(index: number): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const isOnScreen = event.target instanceof HTMLElement && event.target.closest(".xterm");
      const digit = /^Digit([1-4])$/.exec(event.code)?.[1];
      if (event.altKey && !event.ctrlKey && !event.metaKey && digit && !isOnScreen) {
        event.preventDefault();
        onView(Number(digit) - 1);
      } else if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) {
        return;
      } else if (event.key === "?") {
        event.preventDefault();
        dialog.current?.showModal();
      } else if (event.key === "/") {
        const search = document.querySelector<HTMLInputElement>("input[type=search]");
        if (search) event.preventDefault();
        search?.focus();
      }
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
  return (
    <dialog ref={dialog} class="dialog keys" aria-labelledby="keys-title">
      <header>
        <h2 id="keys-title">Keys</h2>
        <button type="button" onClick={() => dialog.current?.close()}>Close</button>
      </header>
      <dl>
        {LISTED.map(([key, what]) => (
          <div key={key}>
            <dt><kbd>{key}</kbd></dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </dialog>
  );
}
