// What is wrong with a program, in words, with the fixes the server offers.

import { Prose } from "../prose";
import type { Diagnostic } from "./wire";

interface Shown {
  found: Diagnostic[];
  onShow(byte: number): void;
  onFix(edits: Diagnostic["fixes"][number]["edits"]): void;
}

export function Diagnostics(shown: Shown) {
  const count = shown.found.length;
  return (
    <section class="diagnostics panel" aria-label="Faults">
      <header><h2>{count === 1 ? "One fault" : `${count} faults`}</h2></header>
      <Listed {...shown} />
    </section>
  );
}

export function Warnings(shown: Shown) {
  if (!shown.found.length) return null;
  return (
    <section class="diagnostics panel" aria-label="Warnings">
      <header><h2>{shown.found.length === 1 ? "One warning" : `${shown.found.length} warnings`}</h2></header>
      <Listed {...shown} />
    </section>
  );
}

function Listed({ found, onShow, onFix }: Shown) {
  return (
    <ol>
      {found.map((one, index) => (
        <li key={index} class={one.severity}>
          <button type="button" class="bare place" onClick={() => onShow(one.span.start)} title="Show the place">
            <b>{one.code}</b> line {one.span.line}, column {one.span.column}
          </button>
          <p><Prose text={one.message} /></p>
          {one.help && <p class="help"><Prose text={one.help} /></p>}
          {one.fixes.map((fix, number) => (
            <button key={number} type="button" onClick={() => onFix(fix.edits)}><Prose text={fix.title} /></button>
          ))}
        </li>
      ))}
    </ol>
  );
}
