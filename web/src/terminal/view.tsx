// Terminal: the conversations, and the chosen one beside them.

import { useState } from "preact/hooks";
import { said, type Conversation } from "../api";
import { asked, useLooking } from "../looking";
import { followed, go, pathOf } from "../router";
import { ago, MODES, useNow } from "../words";
import { ConversationView } from "./conversation";

const LISTED_UNSOUGHT = 12; // with more, one looks for the name

export function TerminalView({ id }: { id: string | undefined }) {
  const { it, fault, again } = useLooking(async () => {
    const answer = await asked<{ conversations: Conversation[] }>("pty.list");
    if (answer === undefined) return undefined;
    if (!answer.ok) return "The server does not answer; the page tries again.";
    return answer.conversations.toSorted((one, other) => other.last_activity - one.last_activity);
  });
  return (
    <>
      <section class="list-pane" aria-label="Conversations">
        {id ? <h2>Conversations</h2> : <h1>Conversations</h1>}
        <NewConversation onMade={again} />
        <p class="fault" role="alert">{fault}</p>
        <Conversations found={it} chosen={id} />
      </section>
      <div class="content">{id ? <ConversationView key={id} id={id} isOpen={shellOf(it, id)} /> : <Welcome isEmpty={it?.length === 0} />}</div>
    </>
  );
}

function shellOf(found: Conversation[] | undefined, id: string): boolean | undefined {
  const one = found?.find(({ conversation_id }) => conversation_id === id);
  return one && one.shell_id !== null;
}

function Conversations({ found, chosen }: { found: Conversation[] | undefined; chosen: string | undefined }) {
  const now = useNow();
  const [wanted, setWanted] = useState("");
  if (found?.length === 0) return <p class="empty">No conversations yet.</p>;
  const all = found ?? [];
  const shown = all.filter((one) => one.conversation_id.toLowerCase().includes(wanted.toLowerCase()));
  return (
    <>
      {(all.length > LISTED_UNSOUGHT || wanted) && (
        <input
          class="filter"
          aria-label="Find a conversation"
          placeholder={`Find among ${all.length}`}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          value={wanted}
          onInput={(event) => setWanted(event.currentTarget.value)}
        />
      )}
      {wanted && shown.length === 0 && <p class="empty" role="status">None is called so.</p>}
      <ul class="list">
        {shown.map((one) => (
          <li key={one.conversation_id}>
            <a
              href={pathOf("terminal", one.conversation_id)}
              aria-current={one.conversation_id === chosen ? "page" : undefined}
              onClick={followed}
            >
              <span class={`dot ${one.shell_id ? one.mode : "closed"}`} aria-hidden="true" />
              <span class="name">{one.conversation_id}</span>
              <small>
                {one.shell_id ? MODES[one.mode] : "closed"} · {ago(one.last_activity, now)}
              </small>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

function NewConversation({ onMade }: { onMade(): void }) {
  const [fault, setFault] = useState("");
  const make = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const given = new FormData(form);
    const name = String(given.get("name"));
    const answer = await asked<object>("pty.open", {
      conversation_id: name,
      shell: String(given.get("shell")),
      ...roomy(),
    });
    if (!answer) return;
    setFault(answer.ok ? "" : said(answer));
    if (answer.ok) {
      form.reset();
      onMade();
      go(pathOf("terminal", name));
    }
  };
  return (
    <form class="new" onSubmit={(event) => void make(event)}>
      <input
        name="name"
        required
        pattern="[A-Za-z0-9_\-][A-Za-z0-9._\-]{0,127}"
        title="Letters, digits, dot, underscore and hyphen; no dot at the beginning"
        placeholder="New conversation"
        aria-label="Name of a new conversation"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
      />
      <select name="shell" aria-label="Shell">
        <option>bash</option>
        <option>zsh</option>
      </select>
      <button type="submit">Open</button>
      {fault && <p class="fault" role="alert">{fault}</p>}
    </form>
  );
}

/** A size whose letters are easy to read in this window. */
function roomy(): { cols: number; rows: number } {
  const width = innerWidth > 960 ? (innerWidth - 320) * 0.6 : innerWidth;
  const bounded = (value: number, low: number, high: number) =>
    Math.max(low, Math.min(high, Math.floor(value)));
  return {
    cols: bounded((width - 40) / 8.6, 60, 160),
    rows: bounded((innerHeight - 170) / 19, 15, 60),
  };
}

function Welcome({ isEmpty }: { isEmpty: boolean }) {
  return (
    <div class="empty-view">
      <h2>{isEmpty ? "Nothing runs yet" : "Choose a conversation"}</h2>
      <p>
        A conversation is a shell that stays, with all that was ever said in it. What an agent runs
        shows up here as it happens; you can answer it and take over at any time.
      </p>
      {isEmpty && (
        <>
          <p>Name one beside this, or begin from a terminal or an agent:</p>
          <p><code class="command">antiphon exec build -- make</code></p>
        </>
      )}
    </div>
  );
}
