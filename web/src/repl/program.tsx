// The program of a session in its editor: whose text it is, what is wrong with it, and what is
// done when somebody else changed it meanwhile.

import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "../api";
import { useLoaded } from "../loaded";
import type { Completed, Editor } from "./editor";
import type { Diagnostic, Session } from "./wire";

export interface ProgramHandle {
  text(): string;
  isDirty(): boolean;
  submit(): Promise<boolean>;
  focus(): void;
  show(byte: number): void;
  fix(edits: Diagnostic["fixes"][number]["edits"]): void;
}

export function Program({ session, onWritten, handle, onDirty }: {
  session: Session;
  onWritten(source: string): Promise<string | undefined>; // what the server made of it
  handle: { current: ProgramHandle | undefined };
  onDirty(is: boolean): void;
}) {
  const lazily = useLoaded(() => import("./editor"));
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor>(undefined);
  const seen = useRef(session.dsl_source ?? ""); // the server's text that the editor began from
  const [isDirty, setDirty] = useState(false);
  const [theirs, setTheirs] = useState<string>();
  const canEdit = session.available_actions.includes("edit");
  const source = session.dsl_source ?? "";
  const now = useRef({ onWritten, canEdit, source });
  now.current = { onWritten, canEdit, source };
  const isSubmitting = useRef(false);

  const noted = (text: string) => {
    const is = text !== seen.current;
    setDirty(is);
    onDirty(is);
  };
  // What the server has is shown, unless something is written here that it does not have yet.
  const reconcile = (told: string) => {
    const made = editor.current;
    if (!made || isSubmitting.current) return;
    if (told !== seen.current) {
      const isMine = made.text !== seen.current && made.text !== told;
      if (isMine) setTheirs(told);
      else {
        seen.current = told;
        made.replace(told);
        setTheirs(undefined);
      }
    }
    noted(made.text);
  };
  const submit = async () => {
    const text = editor.current?.text ?? "";
    isSubmitting.current = true;
    const taken = await now.current.onWritten(text);
    isSubmitting.current = false;
    if (taken !== undefined) {
      seen.current = text;
      setTheirs(undefined);
    }
    reconcile(taken ?? now.current.source);
    return taken !== undefined;
  };

  useEffect(() => {
    if (!lazily.it || !host.current) return;
    const made = new lazily.it.Editor(host.current, seen.current, {
      changed: noted,
      submitted: () => now.current.canEdit && void submit(),
      check: async (source) => {
        const answer = await call<{ diagnostics: Diagnostic[] }>("POST", "/api/dsl/check", { source });
        return answer.ok || "diagnostics" in answer ? (answer as { diagnostics: Diagnostic[] }).diagnostics : undefined;
      },
      complete: async (source, at) => {
        const answer = await call<Completed>("POST", "/api/dsl/complete", { source, at });
        return answer.ok ? answer : undefined;
      },
    });
    editor.current = made;
    handle.current = {
      text: () => made.text,
      isDirty: () => made.text !== seen.current,
      submit,
      focus: () => made.focus(),
      show: (byte) => made.show(byte),
      fix: (edits) => made.fix(edits),
    };
    return () => {
      made.destroy();
      handle.current = undefined;
    };
  }, [lazily.it]);

  useEffect(() => reconcile(source), [source, lazily.it]);
  const warnings = session.dsl_status?.warnings ?? [];
  useEffect(() => {
    if (!isDirty) editor.current?.mark([...(session.errors ?? []), ...warnings]);
  }, [session.rev, lazily.it, isDirty, source]);
  useEffect(() => editor.current?.lock(!canEdit), [canEdit, lazily.it]);

  return (
    <section class="program panel" aria-label="Program">
      <header>
        <h2>Program{isDirty && <span class="dirty" title="not given to the server yet"> ●<span class="hidden"> changed</span></span>}</h2>
        {session.dsl_user_edited && !isDirty && <span class="tag">edited by hand</span>}
        <span class="grow" />
        {isDirty && (
          <button type="button" class="bare" onClick={() => { editor.current?.replace(source); seen.current = source; setTheirs(undefined); noted(source); }}>
            Discard
          </button>
        )}
        <button type="button" class={isDirty ? "main" : ""} disabled={!canEdit} onClick={() => void submit()} title="Ctrl+Enter">
          Check
        </button>
      </header>
      {theirs !== undefined && (
        <div class="conflict" role="alert">
          <p>The program was changed elsewhere while you wrote. Nothing is overwritten.</p>
          <button type="button" onClick={() => { seen.current = theirs; editor.current?.replace(theirs); setTheirs(undefined); noted(theirs); }}>
            Take theirs
          </button>
          <button type="button" onClick={() => { seen.current = theirs; setTheirs(undefined); noted(editor.current?.text ?? ""); }}>
            Keep mine
          </button>
        </div>
      )}
      <div class="editor" ref={host} aria-busy={!lazily.it} />
      {lazily.fault && <p class="fault">{lazily.fault}</p>}
    </section>
  );
}
