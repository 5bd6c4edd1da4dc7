// The page: conversations on the left, the chosen one beside them.

import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ask, SignedOut, type Conversation } from "./api";
import { ConversationView } from "./conversation";
import "./style.css";
import { ago, MODES } from "./words";

const LOOK_MS = 1500;

function conversationOf(path: string): string | undefined {
  return /^\/t\/([\w.-]+)$/.exec(path)?.[1];
}

function App() {
  const [path, setPath] = useState(location.pathname);
  const [conversations, setConversations] = useState<Conversation[]>();
  const [fault, setFault] = useState("");
  const [isSignedOut, setSignedOut] = useState(false);
  const chosen = conversationOf(path);

  useEffect(() => {
    const moved = () => setPath(location.pathname);
    addEventListener("popstate", moved);
    return () => removeEventListener("popstate", moved);
  }, []);

  useEffect(() => {
    let timer: number | undefined;
    let isOver = false;
    const look = async () => {
      try {
        if (!document.hidden) {
          const answer = await ask<{ conversations: Conversation[] }>("pty.list");
          setFault(answer.ok ? "" : "The server does not answer; the page tries again.");
          if (answer.ok) setConversations(answer.conversations);
        }
      } catch (error) {
        if (!(error instanceof SignedOut)) throw error;
        setSignedOut(true);
        return;
      }
      if (!isOver) timer = window.setTimeout(() => void look(), LOOK_MS);
    };
    void look();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, []);

  useEffect(() => {
    document.title = chosen ? `${chosen} · Antiphon` : "Antiphon";
  }, [chosen]);

  const go = (to: string) => {
    history.pushState(null, "", to);
    setPath(location.pathname);
  };
  if (isSignedOut) return <SignIn />;
  return (
    <div class={chosen ? "app chosen" : "app"}>
      <nav aria-label="Conversations">
        <a class="brand" href="/" onClick={(event) => { event.preventDefault(); go("/"); }}>
          <img src="/icon.svg" alt="" width="22" height="22" /> Antiphon
        </a>
        <NewConversation onMade={(id) => go(`/t/${id}`)} />
        <p class="fault" role="alert">{fault}</p>
        <ul class="list">
          {(conversations ?? [])
            .toSorted((one, other) => other.last_activity - one.last_activity)
            .map((one) => (
              <li key={one.conversation_id}>
                <a
                  href={`/t/${one.conversation_id}`}
                  aria-current={one.conversation_id === chosen ? "page" : undefined}
                  onClick={(event) => {
                    if (event.metaKey || event.ctrlKey) return;
                    event.preventDefault();
                    go(`/t/${one.conversation_id}`);
                  }}
                >
                  <span class={`dot ${one.shell_id ? one.mode : "closed"}`} aria-hidden="true" />
                  <span class="name">{one.conversation_id}</span>
                  <small>{one.shell_id ? MODES[one.mode] : "closed"} · {ago(one.last_activity, Date.now())}</small>
                </a>
              </li>
            ))}
        </ul>
        {conversations?.length === 0 && !chosen && <p class="empty">No conversations yet.</p>}
      </nav>
      <main>
        {chosen ? <ConversationView key={chosen} id={chosen} /> : <Welcome />}
      </main>
    </div>
  );
}

function NewConversation({ onMade }: { onMade(id: string): void }) {
  const [fault, setFault] = useState("");
  const make = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const id = String(new FormData(form).get("name"));
    const shell = String(new FormData(form).get("shell"));
    const answer = await ask<object>("pty.open", { conversation_id: id, shell, ...roomy() });
    setFault(answer.ok ? "" : (answer.message ?? answer.error));
    if (answer.ok) {
      form.reset();
      onMade(id);
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
  const width = innerWidth > 960 ? (innerWidth - 272) * 0.6 : innerWidth;
  const bounded = (value: number, low: number, high: number) =>
    Math.max(low, Math.min(high, Math.floor(value)));
  return {
    cols: bounded((width - 40) / 8.6, 60, 160),
    rows: bounded((innerHeight - 150) / 16.8, 15, 60),
  };
}

function Welcome() {
  return (
    <div class="welcome">
      <h1>Antiphon</h1>
      <p>
        Choose a conversation to watch it, or open one. What an agent runs over MCP shows up here as it
        happens; you can answer and take over at any time.
      </p>
    </div>
  );
}

function SignIn() {
  return (
    <main class="welcome">
      <h1>Antiphon</h1>
      <p>This browser is not signed in, or the server was started again.</p>
      <p>
        <code>antiphon browse</code> prints a new address that opens once.
      </p>
    </main>
  );
}

const host = document.getElementById("page");
if (host) render(<App />, host);
