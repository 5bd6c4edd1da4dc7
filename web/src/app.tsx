// The shell of the page: where one is, where one can go, and what waits for an answer.

import { useEffect, useState } from "preact/hooks";
import { Keys } from "./keys";
import { ICONS } from "./icons";
import { onSignedOut } from "./looking";
import { useInbox } from "./questions/inbox";
import { QuestionsView } from "./questions/view";
import { ReplView } from "./repl/view";
import { followed, go, pathOf, placeOf, usePath, type View } from "./router";
import { TasksView } from "./tasks/view";
import { TerminalView } from "./terminal/view";

const VIEWS: [View, string][] = [
  ["terminal", "Terminal"],
  ["questions", "Questions"],
  ["repl", "REPL"],
  ["tasks", "Tasks"],
];

export function App() {
  const [isSignedOut, setSignedOut] = useState(false);
  useEffect(() => onSignedOut(() => setSignedOut(true)), []);
  return isSignedOut ? <SignIn /> : <Shell />;
}

function Shell() {
  const { view, id } = placeOf(usePath());
  const inbox = useInbox();
  const count = inbox.it?.length ?? 0;

  useEffect(() => {
    const name = VIEWS.find(([one]) => one === view)?.[1];
    const title = id ?? (view === "terminal" ? undefined : name);
    document.title = `${count ? `(${count}) ` : ""}${title ? `${title} · ` : ""}Antiphon`;
  }, [view, id, count]);

  return (
    <div class={`app ${id || view === "questions" ? "chosen" : ""}`}>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>
        Skip to what is shown
      </a>
      <nav class="rail" aria-label="Views">
        <a class="brand" href="/" onClick={followed} aria-label="Antiphon">
          <img src="/icon.svg" alt="" width="28" height="28" />
        </a>
        <ul>
          {VIEWS.map(([one, name], index) => (
            <li key={one}>
              <a
                href={pathOf(one)}
                onClick={followed}
                aria-current={one === view ? "page" : undefined}
                title={`${name} (Alt+${index + 1})`}
              >
                {ICONS[one]}
                <span>{name}</span>
                {one === "questions" && count > 0 && (
                  <span class="badge" aria-label={`${count} open`}>{count > 99 ? "99+" : count}</span>
                )}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main class="view" id="main" tabIndex={-1} key={view}>
        {view === "terminal" && <TerminalView id={id} />}
        {view === "questions" && <QuestionsView inbox={inbox} />}
        {view === "repl" && <ReplView id={id} />}
        {view === "tasks" && <TasksView id={id} />}
      </main>
      <Keys onView={(index) => { const found = VIEWS[index]; if (found) go(pathOf(found[0])); }} />
    </div>
  );
}

function SignIn() {
  return (
    <main class="empty-view">
      <img src="/icon.svg" alt="" width="48" height="48" />
      <h1>Sign in to Antiphon</h1>
      <p>This browser is not signed in, or its month is over. On the machine of the server, run</p>
      <p><code class="command">antiphon browse</code></p>
      <p>and open the address that it prints. It opens once.</p>
    </main>
  );
}
