// The conversation of a session: what was said, what is asked, and the line for the next message.

import { useEffect, useRef } from "preact/hooks";
import { isWriting } from "../keys";
import { Prose } from "../prose";
import type { Said } from "./talk_lines";
import type { Callout, Session } from "./wire";

const TITLES: Record<string, string> = {
  new: "Say what you want, or write a program.",
  intent_capture: "Say what you want in other words.",
  intent_clarify: "A number picks; other words are a new request.",
  unresolved_refs: "Words search; a number picks.",
  executing: "It runs.",
  executed: "Say what is next.",
  cancelled: "This session was cancelled.",
  closed: "This session is closed.",
};

type Choice = Callout["options"][number];

export function Talk({ session, talk, isBusy, onSay, onChosen }: {
  session: Session;
  talk: Said[];
  isBusy: boolean;
  onSay(message: string): void;
  onChosen(option: Choice): void;
}) {
  const end = useRef<HTMLDivElement>(null);
  const { state } = session.session_state;
  const isOver = state === "cancelled" || state === "closed";
  const question = session.callout?.block.split("\n\n")[0];
  const isAsked = question !== undefined && talk.at(-1)?.text === question; // and stands below
  useEffect(() => {
    const list = end.current?.parentElement;
    if (list) list.scrollTop = list.scrollHeight;
  }, [talk.length, session.callout?.callout_id]);
  return (
    <section class="talk" aria-label="Conversation">
      <div class="said" role="log" aria-label="What was said" tabIndex={0}>
        {talk.length === 0 && !session.callout && <Beginning />}
        {(isAsked ? talk.slice(0, -1) : talk).map((one, index) => (
          <p key={index} class={`saying ${one.who}`}>
            <span class="hidden">{one.who === "you" ? "you: " : one.who === "refused" ? "refused: " : "antiphon: "}</span>
            {one.who === "you" ? one.text : <Prose text={one.text} />}
          </p>
        ))}
        {session.callout && <Asked session={session} question={question ?? ""} onChosen={onChosen} />}
        <div ref={end} />
      </div>
      <Line key={session.session_id} hint={session.session_state.creating ? "Answer the question; «cancel» goes back." : (TITLES[state] ?? "Say what to add, or run it.")} isNew={state === "new"} isOver={isOver} isBusy={isBusy} onSay={onSay} />
    </section>
  );
}

function Beginning() {
  return (
    <div class="beginning">
      <h2>What should be done?</h2>
      <p>Say it in words, or write a program. It is checked and its plan shown before anything runs; «help» says what is possible.</p>
    </div>
  );
}

/** What the session asks, with numbered answers. */
function Asked({ session, question, onChosen }: {
  session: Session;
  question: string;
  onChosen(option: Choice): void;
}) {
  const callout = session.callout;
  const pressed = useRef(onChosen);
  pressed.current = onChosen;
  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (!/^[1-9]$/.test(event.key) || event.ctrlKey || event.altKey || event.metaKey || isWriting(event.target)) return;
      const option = callout?.options.find(({ n }) => String(n) === event.key);
      if (option) pressed.current(option);
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, [callout?.callout_id]);
  if (!callout) return null;
  return (
    <div class="asked" role="group" aria-label="Question">
      <p><Prose text={question} /></p>
      <ol>
        {callout.options.map((option) => (
          <li key={option.id}>
            <button type="button" onClick={() => onChosen(option)}>
              <kbd>{option.n}</kbd> <span>{option.label}</span>
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}

function Line({ hint, isNew, isOver, isBusy, onSay }: {
  hint: string;
  isNew: boolean;
  isOver: boolean;
  isBusy: boolean;
  onSay(message: string): void;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (isNew) field.current?.focus(); // the first thing to do in a session is to say something
  }, []);
  const submit = () => {
    const message = field.current?.value ?? "";
    if (!message.trim() || isOver || isBusy || !field.current) return;
    field.current.value = "";
    onSay(message);
  };
  return (
    <form class="composer" onSubmit={(event) => { event.preventDefault(); submit(); }}>
      <label class="prompt" for="message">›</label>
      <textarea
        id="message"
        ref={field}
        rows={1}
        aria-label="Message"
        autocomplete="off"
        disabled={isOver}
        placeholder={hint}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
            event.preventDefault();
            submit();
          }
        }}
      />
      <button type="submit" class="main" disabled={isOver}>Say</button>
    </form>
  );
}
