// The line for the next command.

import { useRef } from "preact/hooks";
import type { Block, Mode } from "../api";

/** What was typed on an idle screen belongs here. */
export function insert(field: HTMLTextAreaElement, data: string): void {
  if (/[\x00-\x1f\x7f]/.test(data)) return field.focus();
  field.focus();
  field.setRangeText(data, field.selectionStart, field.selectionEnd, "end");
}

export function Composer({ field, mode, isOpen, blocks, onRun }: {
  field: { current: HTMLTextAreaElement | null };
  mode: Mode;
  isOpen: boolean;
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
        placeholder={!isOpen ? "A command opens a shell here" : isIdle ? "A command; Enter runs it, Shift-Enter begins a line" : "Something runs: keys go to the screen"}
        onKeyDown={pressed}
      />
      <button type="submit" disabled={!isIdle}>Run</button>
    </form>
  );
}

