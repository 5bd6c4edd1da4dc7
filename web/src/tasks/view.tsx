// Tasks: programs that are driven through their menus, and components that are looked for.

import { useEffect, useState } from "preact/hooks";
import { said } from "../api";
import { ICONS } from "../icons";
import { asked, useLooking } from "../looking";
import { Asking } from "../questions/asking";
import type { Question } from "../questions/inbox";
import { spoken } from "../repl/resolve";
import { followed, go, pathOf } from "../router";
import { words } from "./words";

export interface Task {
  task_id: string;
  kind: "menu" | "component";
  title: string; // the command, or the component's name
  state: string;
  selection?: { selection_id: string; prompt: string; options: string[]; input: "menu" | "text"; context?: string[] };
  error?: string;
  location?: string;
  source?: string;
  exit_code?: number;
  reason?: string;
}

const OVER = ["completed", "finished", "failed"];
const LOOKS: Record<string, string> = { selection_required: "accent", failed: "ill", completed: "well", finished: "well" };

async function tasks(): Promise<Task[] | string | undefined> {
  const answer = await asked<{ tasks: Task[] }>("menu.list");
  if (!answer) return undefined;
  return answer.ok ? answer.tasks : said(answer);
}

export function TasksView({ id }: { id: string | undefined }) {
  const looked = useLooking(tasks, 700);
  const found = looked.it;
  const chosen = found?.find((one) => one.task_id === id);
  return (
    <>
      <section class="list-pane" aria-label="Tasks">
        {id ? <h2>Tasks</h2> : <h1>Tasks</h1>}
        <Start onStarted={(task) => { looked.again(); go(pathOf("tasks", task)); }} />
        <p class="fault" role="alert">{looked.fault}</p>
        {found?.length === 0 && <p class="empty">No tasks are open.</p>}
        <ul class="list">
          {(found ?? []).map((one) => (
            <li key={one.task_id}>
              <a href={pathOf("tasks", one.task_id)} aria-current={one.task_id === id ? "page" : undefined} onClick={followed}>
                <span class={`dot ${one.state}`} aria-hidden="true" />
                <span class="name">{one.title}</span>
                <small>{one.task_id} · {spoken(one.state)}</small>
              </a>
            </li>
          ))}
        </ul>
      </section>
      <div class="content">
        {chosen ? (
          <TaskView key={chosen.task_id} task={chosen} onChanged={looked.again} />
        ) : (
          <Welcome isGone={id !== undefined && found !== undefined} />
        )}
      </div>
    </>
  );
}

function Welcome({ isGone }: { isGone: boolean }) {
  return (
    <div class="empty-view">
      <h2>{isGone ? "This task is closed" : "Programs that ask"}</h2>
      <p>
        A task is an interactive program in a terminal of its own. What it asks is read from its
        screen; what is chosen is pressed there. The choice itself is always yours or your agent's.
      </p>
    </div>
  );
}

function Start({ onStarted }: { onStarted(task: string): void }) {
  const [kind, setKind] = useState<"menu" | "component">("menu");
  const [fault, setFault] = useState("");
  const start = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const given = String(new FormData(form).get("what"));
    const command = words(given);
    if (typeof command === "string") return setFault(command);
    const answer = await (kind === "menu"
      ? asked<{ task_id: string }>("menu.start", { command })
      : asked<{ task_id: string }>("component.start", { component_name: given }));
    if (!answer) return;
    setFault(answer.ok ? "" : said(answer));
    if (answer.ok) {
      form.reset();
      onStarted(answer.task_id);
    }
  };
  return (
    <form class="new" onSubmit={(event) => void start(event)}>
      <input
        name="what"
        required
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        aria-label={kind === "menu" ? "Command" : "Component"}
        placeholder={kind === "menu" ? "npm init" : "ESP32-S3"}
      />
      <select aria-label="Kind of task" value={kind} onChange={(event) => setKind(event.currentTarget.value as typeof kind)}>
        <option value="menu">program</option>
        <option value="component">component</option>
      </select>
      <button type="submit">Start</button>
      {fault && <p class="fault" role="alert">{fault}</p>}
    </form>
  );
}

function TaskView({ task, onChanged }: { task: Task; onChanged(): void }) {
  const [fault, setFault] = useState("");
  const isOver = OVER.includes(task.state);
  const close = async () => {
    const answer = await asked<object>(`${task.kind}.close`, { task_id: task.task_id });
    if (!answer) return;
    setFault(answer.ok ? "" : said(answer));
    if (answer.ok) {
      go("/tasks");
      onChanged();
    }
  };
  return (
    <div class="task">
      <header class="bar">
        <a class="back" href="/tasks" onClick={followed} aria-label="All tasks">{ICONS.back}</a>
        <h1 title={task.title}>{task.title}</h1>
        <span class={`tag ${LOOKS[task.state] ?? "busy"}`} role="status">{spoken(task.state)}</span>
        <span class="grow" />
        <a class="button-like wide" href={pathOf("terminal", task.task_id)} onClick={followed}>Its terminal</a>
        <button type="button" onClick={() => void close()}>{isOver ? "Close" : "End and close"}</button>
      </header>
      <div class="task-parts">
        {fault && <p class="fault" role="alert">{fault}</p>}
        {task.selection && (
          <section class="question panel" aria-label="Selection">
            <header><h2>{task.selection.prompt || "It waits for an answer"}</h2></header>
            <Asking key={task.selection.selection_id} question={asQuestion(task)} onAnswered={onChanged} />
          </section>
        )}
        <Outcome task={task} />
        <Picture task={task} />
      </div>
    </div>
  );
}

export function asQuestion(task: Task): Question {
  const selection = task.selection;
  return {
    callout_id: selection?.selection_id ?? "",
    room: task.kind,
    source: task.task_id,
    name: selection?.input ?? "menu",
    question: selection?.prompt ?? "",
    options: (selection?.options ?? []).map((label, index) => ({ n: index + 1, id: String(index), label })),
    input: selection?.input === "text" ? "text" : "choice",
    ...(selection?.context ? { context: selection.context } : {}),
    ...(task.error ? { error: task.error } : {}),
  };
}

function Outcome({ task }: { task: Task }) {
  if (!OVER.includes(task.state)) return null;
  return (
    <section class="outcome panel" aria-label="Outcome">
      <p>
        <span class={`tag ${LOOKS[task.state] ?? ""}`}>{spoken(task.state)}</span>
        {task.exit_code !== undefined && ` exit code ${task.exit_code}`}
        {task.source && ` from ${task.source}`}
      </p>
      {task.location && <p><code>{task.location}</code></p>}
      {task.reason && <pre tabIndex={0} aria-label="Reason">{task.reason}</pre>}
    </section>
  );
}

/** The screen as a person would see it; text, and nothing else. */
function Picture({ task }: { task: Task }) {
  const [rows, setRows] = useState<string[]>();
  const [fault, setFault] = useState("");
  useEffect(() => {
    let isOver = false;
    let timer: number | undefined;
    const look = async () => {
      const answer = await asked<{ rows: string[] }>("pty.screen", { conversation_id: task.task_id });
      if (isOver || !answer) return;
      setFault(answer.ok ? "" : said(answer));
      if (answer.ok) setRows(answer.rows.map((row) => row.trimEnd()));
      if (!OVER.includes(task.state)) timer = window.setTimeout(() => void look(), 700);
    };
    void look();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [task.task_id, task.state, task.selection?.selection_id]);
  const first = Math.max(0, (rows ?? []).findIndex((row) => row !== ""));
  const last = (rows ?? []).findLastIndex((row) => row !== "");
  return (
    <section class="picture panel" aria-label="Screen">
      <header><h2>Screen</h2></header>
      {fault ? <p class="empty">{fault}</p> : <pre tabIndex={0} aria-label="Screen of the program">{(rows ?? []).slice(first, last + 1).join("\n") || " "}</pre>}
    </section>
  );
}
