// Questions: one inbox of all that wait for an answer, each with where it came from.

import { useEffect, useRef } from "preact/hooks";
import { ICONS } from "../icons";
import { isWriting } from "../keys";
import { followed } from "../router";
import { Asking } from "./asking";
import { placeOfQuestion, type Inbox, type Question } from "./inbox";

const ROOMS = { session: "REPL", menu: "Menu", component: "Component" };

export function QuestionsView({ inbox }: { inbox: Inbox }) {
  const list = useRef<HTMLOListElement>(null);
  const found = inbox.it ?? [];

  // A digit answers the question that has the focus, or the first.
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.altKey || event.metaKey || isWriting(event.target)) return;
      const cards = [...(list.current?.querySelectorAll<HTMLElement>(":scope > li") ?? [])];
      const at = cards.findIndex((one) => one.contains(document.activeElement));
      if (/^[1-9]$/.test(event.key)) {
        const card = cards[Math.max(at, 0)];
        card?.querySelector<HTMLButtonElement>(`button[data-n="${event.key}"]`)?.click();
      } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        const next = cards[Math.max(0, Math.min(cards.length - 1, at + (event.key === "ArrowDown" ? 1 : -1)))];
        if (!next) return;
        event.preventDefault();
        next.focus();
      }
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);

  const gone = () => {
    list.current?.querySelector<HTMLElement>(":scope > li")?.focus();
    inbox.again();
  };
  return (
    <div class="content questions">
      <header class="bar">
        <h1>Questions</h1>
        <span class="tag accent" role="status">{found.length === 1 ? "1 open" : `${found.length} open`}</span>
        <span class="grow" />
        {found.length > 0 && <small class="wide"><kbd>↑</kbd> <kbd>↓</kbd> choose a question, <kbd>1</kbd>…<kbd>9</kbd> answer it</small>}
      </header>
      <div class="inbox">
        <p class="fault" role="alert">{inbox.fault}</p>
        {inbox.it && found.length === 0 && <Nothing />}
        <ol ref={list} aria-label="Open questions">
          {found.map((one) => (
            <Card key={`${one.source}:${one.callout_id}`} question={one} onAnswered={gone} />
          ))}
        </ol>
      </div>
    </div>
  );
}

function Card({ question, onAnswered }: { question: Question; onAnswered(): void }) {
  const id = `question-${question.source}-${question.callout_id}`;
  return (
    <li class="question panel" tabIndex={0} aria-labelledby={id}>
      <header>
        <h2 id={id}>{question.question || "It waits for an answer"}</h2>
        <a href={placeOfQuestion(question)} onClick={followed} class="origin">
          {ICONS[question.room === "session" ? "repl" : "tasks"]}
          <span>{ROOMS[question.room]} · {question.source}</span>
        </a>
      </header>
      <Asking question={question} onAnswered={onAnswered} />
    </li>
  );
}

function Nothing() {
  return (
    <div class="empty-view">
      <h2>Nothing waits for you</h2>
      <p>
        Menus, references, clarifications and confirmations come here, from whichever agent or program
        asks, and go away when anybody answers them.
      </p>
    </div>
  );
}
