// A thing that is created because none of the candidates was it: its fields, one after the other,
// and at the end a summary to confirm.

import { useEffect, useRef } from "preact/hooks";
import { Prose } from "../prose";
import type { Known } from "./client";
import { spoken } from "./resolve";
import type { Creating, Session } from "./wire";

export function Creation({ session, creating, known }: { session: Session; creating: Creating; known: Known }) {
  const asked = creating.fields[creating.step - 1];
  const question = creating.block?.split("\n\n")[0] ?? "";
  return (
    <section class="creating panel" aria-labelledby="creating-title">
      <header>
        <h2 id="creating-title">New {spoken(creating.entity_type)}</h2>
        <span class="tag accent">
          {asked ? `${creating.step} of ${creating.fields.length}` : "to be confirmed"}
        </span>
      </header>
      <dl>
        {creating.fields.map((one) => (
          <div key={one.name} class={one === asked ? "asked-now" : ""}>
            <dt>{spoken(one.name)}</dt>
            <dd>{one.value ?? (one === asked ? "asked now" : "not yet")}</dd>
          </div>
        ))}
      </dl>
      {session.callout ? (
        <ol class="options">
          {session.callout.options.map((option) => (
            <li key={option.id}>
              <button type="button" disabled={known.isBusy} onClick={() => void known.change("chat", { message: String(option.n) }, option.label)}>
                <kbd>{option.n}</kbd>
                <span>{option.label}</span>
              </button>
            </li>
          ))}
        </ol>
      ) : (
        asked && <Text key={`${creating.step}-${session.rev}`} question={question} offered={asked.offered ?? ""} known={known} />
      )}
      <footer>
        <span class="grow" />
        <button type="button" disabled={!session.available_actions.includes("cancel")} onClick={() => void known.change("action", { action: "cancel" }, "cancel")}>
          Back to the search
        </button>
      </footer>
    </section>
  );
}

function Text({ question, offered, known }: { question: string; offered: string; known: Known }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const message = field.current?.value ?? "";
        if (message.trim()) void known.change("chat", { message }, message);
      }}
    >
      <label for="creating-text"><Prose text={question} /></label>
      <input id="creating-text" ref={field} defaultValue={offered} autocomplete="off" spellcheck={false} />
      <button type="submit" class="main" disabled={known.isBusy}>Next</button>
    </form>
  );
}
