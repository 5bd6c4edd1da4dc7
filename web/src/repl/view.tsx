// REPL: the sessions, and the chosen one: its conversation, its program, what stands in the way.

import { useEffect, useRef, useState } from "preact/hooks";
import { call, type Answer } from "../api";
import { ICONS } from "../icons";
import { told, useLooking } from "../looking";
import { followed, go, pathOf } from "../router";
import { ago, useNow } from "../words";
import { answerOf } from "./answer";
import { useSession, type Known } from "./client";
import { Creation } from "./creation";
import { Diagnostics, Warnings } from "./diagnostics";
import { Changed, PlanView, Results, staleOf, type Stale } from "./plan";
import { Program, type ProgramHandle } from "./program";
import { Resolve, spoken } from "./resolve";
import { Stages } from "./stages";
import { Talk } from "./talk";
import type { Callout, Session } from "./wire";

export interface Listed {
  session_id: string;
  state: string;
  rev: number;
  dsl_source?: string | null;
  ts_changed?: number;
  callout?: Session["callout"];
}

export function ReplView({ id }: { id: string | undefined }) {
  const { it, fault, again } = useLooking(async () => {
    const answer = await told<{ sessions: Listed[] }>(call("GET", "/api/session"));
    if (answer === undefined) return undefined;
    return answer.ok ? answer.sessions : "The server does not answer; the page tries again.";
  });
  return (
    <>
      <section class="list-pane" aria-label="Sessions">
        {id ? <h2>Sessions</h2> : <h1>Sessions</h1>}
        <NewSession onMade={again} />
        <p class="fault" role="alert">{fault}</p>
        <Sessions found={it} chosen={id} />
      </section>
      <div class="content">{id ? <SessionView key={id} id={id} /> : <Welcome />}</div>
    </>
  );
}

function Sessions({ found, chosen }: { found: Listed[] | undefined; chosen: string | undefined }) {
  const now = useNow();
  if (found?.length === 0) return <p class="empty">No sessions yet.</p>;
  return (
    <ul class="list">
      {(found ?? []).map((one) => (
        <li key={one.session_id}>
          <a href={pathOf("repl", one.session_id)} aria-current={one.session_id === chosen ? "page" : undefined} onClick={followed}>
            <span class={`dot ${one.callout ? "asks" : dotOf(one.state)}`} aria-hidden="true" />
            <span class="name">{firstLine(one) ?? "New session"}</span>
            <small>
              {one.callout ? "asks" : spoken(one.state)}
              {one.ts_changed ? ` · ${ago(one.ts_changed, now)}` : ""}
            </small>
          </a>
        </li>
      ))}
    </ul>
  );
}

function dotOf(state: string): string {
  if (state.endsWith("_error")) return "ill";
  if (state === "cancelled") return "closed";
  return state === "new" || state === "intent_capture" ? "idle-task" : state;
}

function firstLine(one: { dsl_source?: string | null }): string | undefined {
  return one.dsl_source?.trim().split("\n")[0] || undefined;
}

function short(id: string): string {
  return id.length > 16 ? `${id.slice(0, 14)}…` : id;
}

function NewSession({ onMade }: { onMade(): void }) {
  const [fault, setFault] = useState("");
  const make = async () => {
    const answer: Answer<Session> | undefined = await told(call<Session>("POST", "/api/session", {}));
    if (!answer) return;
    setFault(answer.ok ? "" : (answer.message ?? answer.error));
    if (!answer.ok) return;
    onMade();
    go(pathOf("repl", answer.session_id));
  };
  return (
    <>
      <button type="button" class="main" onClick={() => void make()}>New session</button>
      {fault && <p class="fault" role="alert">{fault}</p>}
    </>
  );
}

function Welcome() {
  return (
    <div class="empty-view">
      <h2>Say it, see it as a program, run it</h2>
      <p>
        In a session words become statements, each word that names a thing becomes that thing, and
        nothing runs before you have seen the plan. An agent's sessions are here too.
      </p>
    </div>
  );
}

function SessionView({ id }: { id: string }) {
  const known = useSession(id);
  const { session } = known;
  const [wanted, setWanted] = useState<string>();
  const [side, setSide] = useState<"talk" | "work">("talk");
  const [isDirty, setDirty] = useState(false);
  const [instead, setInstead] = useState<number>(); // the rev of a check that was made in place of a run
  const [stale, setStale] = useState<Stale>();
  const program = useRef<ProgramHandle>(undefined);
  const writtenRev = useRef<number>(undefined);
  useEffect(() => setWanted(undefined), [session?.session_state.state]);

  if (!session) {
    return known.fault ? (
      <div class="empty-view">
        <h1>No such session</h1>
        <p class="fault" role="alert">{known.fault}</p>
        <p><a href="/repl" onClick={followed}>All sessions</a></p>
      </div>
    ) : (
      <div class="session" aria-busy="true" />
    );
  }
  const fresher = stale?.rev === session.rev ? stale : undefined;
  const took = (answer: Answer<Session>) => {
    const isStale = !answer.ok && answer.error === "plan_stale";
    setStale(isStale ? staleOf(answer, session.rev) : undefined);
    if (isStale) setSide("work");
  };
  const written = async (source: string) => {
    const answer = await known.change("dsl", { source });
    setInstead(undefined);
    if (answer.ok) writtenRev.current = answer.rev;
    return answer.ok ? (answer.dsl_source ?? "") : undefined;
  };
  const run = async () => {
    // What is run is what was seen: a text the server does not have is checked first.
    if (program.current?.isDirty()) {
      if (await program.current.submit()) setInstead(writtenRev.current);
      return;
    }
    const plan = fresher?.plan ?? session.plan;
    took(await known.change("execute", plan ? { plan_id: plan.plan_id } : {}, "run"));
  };
  const choose = async (option: Callout["options"][number]) => {
    if (session.callout?.name === "run" && option.id === "run") return run();
    const { verb, fields } = answerOf(session, option);
    await known.change(verb, fields, option.label);
  };
  const say = async (message: string) => took(await known.change("chat", { message }, spokenChoice(session, message)));
  return (
    <div class="session">
      <header class="bar">
        <a class="back" href="/repl" onClick={followed} aria-label="All sessions">{ICONS.back}</a>
        <h1 title={`Session ${session.session_id}`}>{firstLine(session) ?? "New session"}</h1>
        <span class={`tag ${known.isConnected ? lookOf(session) : ""}`} role="status">{known.isConnected ? stateOf(session) : "connecting…"}</span>
        <small class="wide">{short(session.session_id)}</small>
        <span class="grow" />
        <Actions session={session} known={known} onRun={() => void run()} onEdit={() => { setSide("work"); program.current?.focus(); }} />
      </header>
      <Stages session={session} />
      {instead === session.rev && session.can_execute && !isDirty && (
        <p class="note" role="status">What you wrote is checked. Look at its plan, then run it.</p>
      )}
      <div class="sides" role="group" aria-label="Show">
        <button type="button" aria-pressed={side === "talk"} onClick={() => setSide("talk")}>Conversation</button>
        <button type="button" aria-pressed={side === "work"} onClick={() => setSide("work")}>Program{isDirty ? " ●" : ""}</button>
      </div>
      <div class={`session-halves ${side}-side`}>
        <Talk session={session} talk={known.talk} isBusy={known.isBusy} onSay={(message) => void say(message)} onChosen={(option) => void choose(option)} />
        <div class="work">
          <Program session={session} onWritten={written} handle={program} onDirty={setDirty} />
          <Below session={session} stale={fresher} known={known} wanted={wanted} onWanted={setWanted} program={program} />
        </div>
      </div>
    </div>
  );
}

/** What the state is about, under the program. */
function Below({ session, stale, known, wanted, onWanted, program }: {
  session: Session;
  stale: Stale | undefined;
  known: Known;
  wanted: string | undefined;
  onWanted(ref: string): void;
  program: { current: ProgramHandle | undefined };
}) {
  const { state, creating } = session.session_state;
  const warnings = session.dsl_status?.warnings ?? [];
  const plan = stale ? stale.plan : (session.plan ?? session.session_state.plan);
  return (
    <>
      {session.errors && session.errors.length > 0 && (
        <Diagnostics found={session.errors} onShow={(byte) => program.current?.show(byte)} onFix={(edits) => program.current?.fix(edits)} />
      )}
      {state === "unresolved_refs" && !creating && (
        <Resolve session={session} known={known} wanted={wanted} onWanted={onWanted} />
      )}
      {creating && <Creation session={session} creating={creating} known={known} />}
      {stale && <Changed stale={stale} />}
      {plan && <PlanView plan={plan} progress={known.progress} isRunning={state === "executing"} />}
      {state !== "executing" && state !== "executed" && (
        <Warnings found={warnings} onShow={(byte) => program.current?.show(byte)} onFix={(edits) => program.current?.fix(edits)} />
      )}
      {session.results && state === "executed" && <Results session={session} />}
      {session.auto_resolved && session.auto_resolved.length > 0 && (
        <p class="note">
          Taken without asking: {session.auto_resolved.map((one) => `${one.display} (${one.method}, ${one.score})`).join(", ")}. Undo brings the question back.
        </p>
      )}
      <Bindings session={session} />
    </>
  );
}

function Bindings({ session }: { session: Session }) {
  const bound = Object.entries(session.bindings ?? {});
  if (!bound.length) return null;
  return (
    <dl class="bindings" aria-label="Bindings">
      {bound.map(([name, { id, entity_type }]) => (
        <div key={name}>
          <dt><code>@{name}</code></dt>
          <dd>{entity_type && <span class="tag">{spoken(entity_type)}</span>} <code>{id}</code></dd>
        </div>
      ))}
    </dl>
  );
}

const NAMES: [action: string, name: string][] = [
  ["edit", "Edit"],
  ["undo", "Undo"],
  ["clear", "Clear"],
  ["cancel", "Cancel"],
];

/** Buttons by the server's word alone. */
function Actions({ session, known, onRun, onEdit }: {
  session: Session;
  known: Known;
  onRun(): void;
  onEdit(): void;
}) {
  const act = (action: string) => {
    const isEnd = action === "cancel" && !session.session_state.creating && session.session_state.state !== "executing";
    if (isEnd && !confirm("Cancel ends this session for good. What it has run stays.")) return;
    void known.change("action", { action }, action);
  };
  return (
    <div class="actions" role="toolbar" aria-label="Actions">
      <button type="button" class="main" disabled={!session.can_execute} onClick={onRun}>Run</button>
      {NAMES.map(([action, name]) => (
        <button
          key={action}
          type="button"
          disabled={!session.available_actions.includes(action)}
          onClick={() => (action === "edit" ? onEdit() : act(action))}
        >
          {name}
        </button>
      ))}
      <button type="button" class="bare" onClick={() => void known.change("action", { action: "help" }, "help")}>Help</button>
    </div>
  );
}

function lookOf(session: Session): string {
  const { state, success } = session.session_state;
  if (state.endsWith("_error") || success === false || state === "cancelled") return "ill";
  if (state === "ready_to_run" || state === "executed") return "well";
  return state === "executing" ? "busy" : "accent";
}

function stateOf(session: Session): string {
  const { state, success, cancel_requested, creating } = session.session_state;
  if (creating) return `creating ${spoken(creating.entity_type)}`;
  if (cancel_requested) return "executing, ends soon";
  return success === false ? "executed, failed" : spoken(state);
}

/** A number that picks is shown with what it picked. */
function spokenChoice(session: Session, message: string): string {
  const chosen = session.callout?.options.find(({ n }) => String(n) === message.trim());
  return chosen ? `${message.trim()}) ${chosen.label}` : message;
}
