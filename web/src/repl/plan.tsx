// What a run will do, what it does, and what it did.

import { Prose } from "../prose";
import type { Change, Refusal } from "../api";
import type { Plan, Progress, Result, Session } from "./wire";

/** A plan that was not run, because another one is what would run now. */
export interface Stale {
  rev: number; // of the session that it is about
  plan: Plan | undefined; // as it is now; none: it cannot be run any more
  changed: Change[];
}

export function staleOf(refusal: Refusal, rev: number): Stale {
  const statements = refusal.statements ?? [];
  const phases: number[][] = [];
  for (const one of statements) (phases[one.phase] ??= []).push(one.statement_index);
  const plan = refusal.plan_id ? { plan_id: refusal.plan_id, phases, statements } : undefined;
  return { rev, plan, changed: refusal.changed ?? [] };
}

/** What changed under a plan, before the plan as it is now. */
export function Changed({ stale }: { stale: Stale }) {
  return (
    <section class="changed panel" role="alert" aria-label="What changed">
      <p>
        {stale.plan
          ? "Nothing has run. Below is what it would do now; Run runs that."
          : "Nothing has run, and the program cannot be run any more. Check says why."}
      </p>
      <ul>
        {stale.changed.map((one) => (
          <li key={one.entity_id}>
            <span class="tag">{one.entity_type.replaceAll("_", " ")}</span> <b>{one.before}</b>{" "}
            {one.now === "" ? "is gone" : one.now === one.before ? "has other values now" : <>is <b>{one.now}</b> now</>}
          </li>
        ))}
      </ul>
    </section>
  );
}

export function PlanView({ plan, progress, isRunning }: {
  plan: Plan;
  progress: Progress[];
  isRunning: boolean;
}) {
  const byIndex = new Map(plan.statements.map((one) => [one.statement_index, one]));
  const status = new Map(progress.map((one) => [one.statement_index, one.status]));
  const done = progress.filter((one) => one.status !== "running").length;
  const count = plan.statements.length;
  const isReordered = plan.phases.flat().some((one, index, all) => index > 0 && (all[index - 1] ?? 0) > one);
  return (
    <section class="plan panel" aria-label="Plan">
      <header>
        <h2>{isRunning ? "Running" : "Plan"}</h2>
        <span class={`tag ${isRunning ? "busy" : ""}`}>
          {isRunning ? `${done} of ${count} done` : `${count} ${count === 1 ? "statement" : "statements"} in ${plan.phases.length} ${plan.phases.length === 1 ? "phase" : "phases"}`}
        </span>
        {isReordered && <span class="tag busy">not in the order of the text</span>}
      </header>
      {isRunning && <progress value={done} max={count} aria-label="Statements that are done" />}
      <ol class="phases">
        {plan.phases.map((phase, index) => (
          <li key={index}>
            <h3>Phase {index + 1}</h3>
            <ul>
              {phase.map((number) => {
                const one = byIndex.get(number);
                return (
                  <li key={number} class={status.get(number) ?? ""}>
                    <span class={`tag effect ${one?.effect ?? ""}`}>{one?.effect}</span>
                    <code>{one?.text}</code>
                    {status.has(number) && <span class={`tag ${look(status.get(number) ?? "")}`}>{status.get(number)}</span>}
                  </li>
                );
              })}
            </ul>
          </li>
        ))}
      </ol>
    </section>
  );
}

export function Results({ session }: { session: Session }) {
  const results = session.results ?? [];
  const isWell = session.session_state.success !== false;
  return (
    <section class="results panel" aria-label="Results">
      <header>
        <h2>Results</h2>
        <span class={`tag ${isWell ? "well" : "ill"}`}>{isWell ? "succeeded" : "failed"}</span>
      </header>
      {!isWell && <p class="fault"><Prose text={session.message} /></p>}
      <ol>
        {results.map((one) => (
          <li key={one.statement_index}>
            <span class={`tag ${look(one.status)}`}>{one.status}</span>
            <code>{one.verb}</code>
            <span class="told"><Prose text={outcome(one)} /></span>
            <Value value={one.value} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function look(status: string): string {
  return status === "ok" ? "well" : status === "failed" ? "ill" : status === "running" ? "busy" : "";
}

function outcome(one: Result): string {
  if (one.error || one.message) return [one.error, one.message].filter(Boolean).join(": ");
  if (one.blocked_by !== undefined) return `not run: statement ${one.blocked_by + 1} failed`;
  if (one.bound) return `@${one.bound.name} is ${one.bound.id}`;
  return one.exit_code === undefined ? "" : `exit ${one.exit_code}`;
}

/** Rows as a table, one row as its fields, anything else as text. */
function Value({ value }: { value: unknown }) {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value) && value.length > 0 && value.every(isRow)) {
    const rows: Row[] = value;
    const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].slice(0, 8);
    return (
      <div class="table" tabIndex={0} role="region" aria-label="Rows">
        <table>
          <thead><tr>{names.map((name) => <th key={name} scope="col">{name}</th>)}</tr></thead>
          <tbody>
            {rows.slice(0, 200).map((row, index) => (
              <tr key={index}>{names.map((name) => <td key={name}>{plain(row[name])}</td>)}</tr>
            ))}
          </tbody>
        </table>
      </div>
    );
  }
  const fields = isRow(value) ? Object.entries(value).filter(([, one]) => one !== null) : [];
  if (fields.length > 0 && fields.every(([, one]) => typeof one !== "object")) {
    return (
      <dl class="fields-of">
        {fields.map(([name, one]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{plain(one)}</dd>
          </div>
        ))}
      </dl>
    );
  }
  const text = plain(value);
  return text ? <pre tabIndex={0} aria-label="Value">{text}</pre> : null;
}

type Row = Record<string, unknown>;

function isRow(value: unknown): value is Row {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function plain(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 1);
}
