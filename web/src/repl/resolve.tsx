// Which thing a word means: a field for each way to search, what tells candidates apart, and the
// candidates with what speaks for each.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Known } from "./client";
import { named, type Field, type Match, type Session, type UnresolvedRef } from "./wire";

const WAIT_MS = 350;

interface Shown {
  matches: Match[];
  total: number;
  fallback: Match[];
}

export function Resolve({ session, known, wanted, onWanted }: {
  session: Session;
  known: Known;
  wanted: string | undefined;
  onWanted(ref: string): void;
}) {
  const refs = session.unresolved_refs ?? [];
  const pending = refs.filter((one) => one.status.state === "pending");
  const ref = refs.find((one) => one.ref_id === wanted) ?? pending[0];
  const progress = session.dsl_status?.progress;
  if (!ref) return null;
  return (
    <section class="resolve panel" role="dialog" aria-labelledby="resolve-title">
      <header>
        <h2 id="resolve-title">
          Which {spoken(ref.entity_type)} is «{ref.search_value}»?
        </h2>
        {progress && <span class="tag accent">{progress.current} of {progress.total}</span>}
      </header>
      <p class="where">
        <code>
          ({ref.location.verb} :{ref.location.arg_name} <mark>"{ref.search_value}"</mark>)
        </code>
      </p>
      {refs.length > 1 && (
        <div class="refs" role="group" aria-label="References">
          {refs.map((one) => (
            <button key={one.ref_id} type="button" aria-pressed={one.ref_id === ref.ref_id} onClick={() => onWanted(one.ref_id)}>
              {one.search_value} {one.status.state !== "pending" && <span class="tag">{one.status.state.replace("_", " ")}</span>}
            </button>
          ))}
        </div>
      )}
      <Searching key={ref.ref_id} reference={ref} session={session} known={known} />
    </section>
  );
}

function Searching({ reference, session, known }: { reference: UnresolvedRef; session: Session; known: Known }) {
  const { config } = reference;
  const keys = config.search_keys.map(named);
  const telling = config.discriminators.map(named);
  const first = keys.find((one) => one.is_default) ?? keys[0];
  const initial: Shown = { matches: reference.initial_matches, total: reference.total, fallback: [] };
  const [shown, setShown] = useState(initial);
  const asFound: Record<string, string> = first ? { [first.name]: reference.search_value } : {};
  const [given, setGiven] = useState(asFound);
  const [fault, setFault] = useState("");
  const timer = useRef<number>(undefined);
  const asked = useRef(0);

  const ask = async (values: Record<string, string>, offset = 0) => {
    const filled = Object.entries(values).filter(([, value]) => value.trim());
    const round = ++asked.current;
    const part = (names: Field[]) =>
      Object.fromEntries(filled.filter(([name]) => name !== first?.name && names.some((one) => one.name === name)));
    const answer = await known.search({
      ref_id: reference.ref_id,
      query: values[first?.name ?? ""]?.trim() || reference.search_value,
      filters: part(keys),
      discriminators: part(telling),
      offset,
    });
    if (round !== asked.current) return;
    setFault(answer.ok ? "" : (answer.message ?? answer.error));
    if (!answer.ok) return;
    setShown((before) => ({
      matches: offset ? [...before.matches, ...answer.matches] : answer.matches,
      total: answer.total,
      fallback: answer.fallback_matches ?? [],
    }));
  };
  const changed = (name: string, value: string) => {
    const values = { ...given, [name]: value };
    setGiven(values);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => void ask(values), WAIT_MS);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  // A message is search text too: what it found is in the reference itself.
  useEffect(() => setShown(initial), [session.rev]);

  const act = (action: string) => void known.change("action", { action }, spoken(action));
  const choose = (entity: Match) =>
    void known.change("resolve", { ref_id: reference.ref_id, entity_id: entity.id }, entity.display);
  // The keys that the open question takes; it is about the first reference that waits.
  const numbers = new Map((session.callout?.options ?? []).map(({ id, n }) => [id, n]));
  const can = (action: string) => session.available_actions.includes(action);
  return (
    <>
      <form class="fields" onSubmit={(event) => { event.preventDefault(); clearTimeout(timer.current); void ask(given); }}>
        {keys.map((one) => (
          <SearchField key={one.name} field={one} hint="any" value={given[one.name] ?? ""} onChanged={changed} />
        ))}
        {telling.length > 0 && (
          <fieldset>
            <legend>Tells them apart</legend>
            {telling.map((one) => (
              <SearchField key={one.name} field={one} hint="" value={given[one.name] ?? ""} onChanged={changed} />
            ))}
          </fieldset>
        )}
        <button type="submit" class="hidden">Search</button>
      </form>
      {fault && <p class="fault" role="alert">{fault}</p>}
      <Candidates matches={shown.matches} numbers={numbers} onChosen={choose} />
      {shown.matches.length === 0 && (
        <p class="empty" role="status">
          {shown.fallback.length ? "Nothing fits these fields. Without them there are:" : "Nothing found. Other words may find it, or create it."}
        </p>
      )}
      {shown.fallback.length > 0 && <Candidates matches={shown.fallback} numbers={numbers} onChosen={choose} />}
      <footer>
        {shown.total > shown.matches.length && (
          <button type="button" onClick={() => void ask(given, shown.matches.length)}>
            More ({shown.matches.length} of {shown.total})
          </button>
        )}
        <span class="grow" />
        <button
          type="button"
          onClick={() => {
            setGiven(asFound);
            setShown(initial);
            act("different_search");
          }}
        >
          Other search
        </button>
        <button type="button" disabled={!can("skip")} onClick={() => act("skip")}>Skip</button>
        <button type="button" disabled={!can("create_new")} onClick={() => act("create_new")}>Create new</button>
      </footer>
    </>
  );
}

function SearchField({ field, hint, value, onChanged }: {
  field: Field;
  hint: string;
  value: string;
  onChanged(name: string, value: string): void;
}) {
  const values = field.values;
  return (
    <label>
      <span>{field.label ?? spoken(field.name)}</span>
      {values?.length ? (
        <select value={value} onChange={(event) => onChanged(field.name, event.currentTarget.value)}>
          <option value="">any</option>
          {values.map((one) => <option key={one}>{one}</option>)}
        </select>
      ) : (
        <input
          value={value}
          placeholder={field.name.includes("date") ? "YYYY or YYYY-MM-DD" : hint}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => onChanged(field.name, event.currentTarget.value)}
        />
      )}
    </label>
  );
}

function Candidates({ matches, numbers, onChosen }: {
  matches: Match[];
  numbers: Map<string, number>;
  onChosen(match: Match): void;
}) {
  return (
    <ol class="candidates" aria-label="Candidates">
      {matches.map((one) => (
        <li key={one.id}>
          <button type="button" onClick={() => onChosen(one)}>
            <kbd aria-hidden="true">{keyOf(numbers.get(one.id))}</kbd>
            <span class="display">{one.display}</span>
            <span class="differs">
              {Object.entries(one.differs).filter(([, fact]) => fact).map(([name, fact]) => (
                <span key={name}><span class="fact">{spoken(name)}</span> {fact}</span>
              ))}
            </span>
            <span class={`score ${one.score >= 90 ? "high" : one.score >= 70 ? "middle" : "low"}`}>
              <span class="hidden">score </span>{one.score}
            </span>
            <span class="features">
              {one.features.map(({ name, points }) => (
                <span key={name}>{spoken(name)} {points > 0 ? `+${points}` : points}</span>
              ))}
            </span>
          </button>
        </li>
      ))}
    </ol>
  );
}

function keyOf(n: number | undefined): string {
  return n !== undefined && n <= 9 ? String(n) : "·";
}

export function spoken(name: string): string {
  return name.replaceAll(/[_-]/g, " ");
}
