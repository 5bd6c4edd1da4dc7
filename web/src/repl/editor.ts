// The editor of a program: CodeMirror, with what the server says about the text.  Fetched when a
// session is first opened.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, pickedCompletion, type Completion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, indentUnit } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic as Mark } from "@codemirror/lint";
import { Compartment, EditorState, Prec } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { language } from "./language";
import { byteOf, Places, type Diagnostic, type Edit } from "./wire";

const CHECK_MS = 300;

export interface Completed {
  start: number; // bytes
  end: number;
  items: Item[];
}

interface Item {
  label: string;
  kind: string;
  detail: string;
  about: string;
  text: string;
  note?: Edit; // the name of an entity, behind its statement
}

export interface Wants {
  changed(text: string): void;
  submitted(): void;
  check(text: string): Promise<Diagnostic[] | undefined>;
  complete(text: string, byte: number): Promise<Completed | undefined>;
}

const THEME = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--screen)", color: "var(--screen-ink)", fontSize: "0.8125rem" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6" },
  ".cm-content": { padding: "0.5rem 0", caretColor: "var(--accent)" },
  ".cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--quiet)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--accent-soft) 45%, transparent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--selection)" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "var(--selection)", color: "inherit" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: "8px", boxShadow: "var(--shadow)", overflow: "hidden" },
  ".cm-tooltip-autocomplete > ul > li": { padding: "0.2rem 0.6rem" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent-soft)", color: "var(--ink)" },
  ".cm-tooltip.cm-completionInfo": { padding: "0.4rem 0.6rem", maxWidth: "26rem", whiteSpace: "pre-wrap", fontFamily: "inherit" },
  ".cm-completionDetail": { color: "var(--quiet)", fontStyle: "normal", marginLeft: "0.8rem" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700", color: "var(--accent)" },
  ".cm-diagnostic": { borderLeftWidth: "3px", padding: "0.4rem 0.6rem", maxWidth: "32rem", whiteSpace: "pre-wrap" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--ill)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--busy)" },
  ".cm-diagnosticAction": { backgroundColor: "var(--accent)", color: "var(--accent-ink)", borderRadius: "5px", padding: "0.1rem 0.5rem" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--ill)", textUnderlineOffset: "3px" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--busy)", textUnderlineOffset: "3px" },
  ".cm-placeholder": { color: "var(--quiet)" },
});

const KINDS: Record<string, string> = { verb: "function", argument: "property", symbol: "variable", value: "constant", entity: "class" };

/** One thing that can be written; a verb's form is too long to stand in the list. */
function offered(one: Item, asked: string): Completion {
  const { label, detail, about } = one;
  const isLong = one.kind === "verb";
  const info = [isLong ? detail : "", about].filter(Boolean).join("\n\n");
  return {
    label,
    type: KINDS[one.kind] ?? "text",
    ...(!isLong && detail ? { detail } : {}),
    ...(info ? { info } : {}),
    apply: (view, completion, from, to) => {
      const note = view.state.doc.toString() === asked ? one.note : undefined;
      const places = new Places(asked);
      const changes = [{ from, to, insert: one.text }];
      if (note) changes.push({ from: places.index(note.span.start), to: places.index(note.span.end), insert: note.text });
      view.dispatch({
        changes,
        selection: { anchor: from + one.text.length },
        annotations: pickedCompletion.of(completion),
        userEvent: "input.complete",
      });
    },
  };
}

export class Editor {
  private readonly view: EditorView;
  private readonly writing = new Compartment();
  private timer: number | undefined;

  constructor(host: HTMLElement, text: string, private readonly wants: Wants) {
    const submit = () => {
      this.wants.submitted();
      return true;
    };
    this.view = new EditorView({
      parent: host,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(),
          lintGutter(),
          history(),
          drawSelection(),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          bracketMatching(),
          closeBrackets(),
          autocompletion({ override: [(context) => this.complete(context)], icons: false }),
          indentUnit.of("  "),
          language,
          EditorView.lineWrapping,
          THEME,
          placeholder('(domain.verb :argument "value")'),
          EditorView.contentAttributes.of({ "aria-label": "Program", spellcheck: "false" }),
          this.writing.of(EditorState.readOnly.of(false)),
          Prec.highest(keymap.of([{ key: "Mod-Enter", run: submit }])),
          keymap.of([...closeBracketsKeymap, ...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) {
              this.wants.changed(this.text);
              this.checkSoon();
            }
          }),
        ],
      }),
    });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /** The server's text; what was written before can be had back with undo. */
  replace(text: string): void {
    const now = this.text;
    if (now === text) return;
    let from = 0;
    while (from < now.length && now[from] === text[from]) from++;
    let end = 0;
    while (end < now.length - from && end < text.length - from && now.at(-1 - end) === text.at(-1 - end)) end++;
    this.view.dispatch({ changes: { from, to: now.length - end, insert: text.slice(from, text.length - end) } });
  }

  mark(diagnostics: Diagnostic[]): void {
    const text = this.text;
    const places = new Places(text);
    const within = (index: number) => Math.min(index, text.length);
    const marks = diagnostics.map((one): Mark => {
      const from = within(places.index(one.span.start));
      return {
        from,
        to: Math.max(from, within(places.index(one.span.end))),
        severity: one.severity,
        source: one.code,
        message: one.help ? `${one.message}\n${one.help}` : one.message,
        actions: one.fixes.map((fix) => ({ name: fix.title, apply: () => this.fix(fix.edits) })),
      };
    });
    this.view.dispatch(setDiagnostics(this.view.state, marks));
  }

  fix(edits: Diagnostic["fixes"][number]["edits"]): void {
    const places = new Places(this.text);
    const changes = edits.map(({ span, text }) => ({
      from: places.index(span.start),
      to: places.index(span.end),
      insert: text,
    }));
    this.view.dispatch({ changes });
    this.view.focus();
  }

  show(byte: number): void {
    const at = new Places(this.text).index(byte);
    this.view.dispatch({ selection: { anchor: Math.min(at, this.text.length) }, scrollIntoView: true });
    this.view.focus();
  }

  lock(is: boolean): void {
    this.view.dispatch({ effects: this.writing.reconfigure(EditorState.readOnly.of(is)) });
  }

  focus(): void {
    this.view.focus();
  }

  destroy(): void {
    clearTimeout(this.timer);
    this.view.destroy();
  }

  checkSoon(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.check(), CHECK_MS);
  }

  private async check(): Promise<void> {
    const text = this.text;
    const found = await this.wants.check(text);
    if (found && text === this.text) this.mark(found);
  }

  private async complete(context: CompletionContext): Promise<CompletionResult | null> {
    const text = context.state.doc.toString();
    const isTyping = context.matchBefore(/[\w.:@"-]+/);
    if (!context.explicit && !isTyping && !/\($/.test(text.slice(0, context.pos))) return null;
    const found = await this.wants.complete(text, byteOf(text, context.pos));
    if (!found || context.aborted || found.items.length === 0) return null;
    const places = new Places(text);
    return {
      from: places.index(found.start),
      to: places.index(found.end),
      filter: false,
      options: found.items.map((one) => offered(one, text)),
    };
  }
}
