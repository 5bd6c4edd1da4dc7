// What is wrong with a program, in words, with the fixes the server offers.

import type { Diagnostic } from "./wire";

export function Diagnostics({ found, onShow, onFix }: {
  found: Diagnostic[];
  onShow(byte: number): void;
  onFix(edits: Diagnostic["fixes"][number]["edits"]): void;
}) {
  return (
    <section class="diagnostics panel" aria-label="Faults">
      <header><h2>{found.length === 1 ? "One fault" : `${found.length} faults`}</h2></header>
      <ol>
        {found.map((one, index) => (
          <li key={index} class={one.severity}>
            <button type="button" class="bare place" onClick={() => onShow(one.span.start)} title="Show the place">
              <b>{one.code}</b> line {one.span.line}, column {one.span.column}
            </button>
            <p>{one.message}</p>
            {one.help && <p class="help">{one.help}</p>}
            {one.fixes.map((fix, number) => (
              <button key={number} type="button" onClick={() => onFix(fix.edits)}>{fix.title}</button>
            ))}
          </li>
        ))}
      </ol>
    </section>
  );
}
