// One session, as the page knows it: what was answered last, and each change with the revision it
// was made upon, so that nothing is written over that was not seen.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { call, SignedOut, type Answer, type Refusal } from "../api";
import { signedOut } from "../looking";
import { merged, withBesides, type Besides, type Said } from "./talk_lines";
import type { Found, Line, Progress, Session } from "./wire";

export interface Known {
  session: Session | undefined;
  fault: string;
  isBusy: boolean;
  isConnected: boolean;
  talk: Said[];
  progress: Progress[]; // of the run that runs
  change(verb: string, fields: object, spoken?: string): Promise<Answer<Session>>;
  search(fields: object): Promise<Answer<Found>>;
}

export function useSession(id: string): Known {
  const [session, setSession] = useState<Session>();
  const [fault, setFault] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [isConnected, setConnected] = useState(false);
  const [lines, setLines] = useState<Line[]>([]);
  const [besides, setBesides] = useState<Besides[]>([]);
  const [spoken, setSpoken] = useState<string>(); // and not answered yet
  const [progress, setProgress] = useState<Progress[]>([]);
  const latest = useRef<Session>(undefined);
  const known = useRef<Line[]>([]);
  const changes = useRef(0); // so far; of what was said last is shown that it was
  const isChanging = useRef(false); // and what was said is shown already

  const asked = useRef(0); // requests so far
  const answered = useRef(0); // the one whose answer is shown
  const take = useCallback((told: Session, number: number) => {
    const before = latest.current;
    const isOvertaken = before && (told.rev < before.rev || (told.rev === before.rev && number < answered.current));
    if (isOvertaken) return;
    answered.current = number;
    latest.current = told;
    setSession(told);
    const now = told.session_state.progress;
    setProgress((heard) => (now ? now.reduce(withProgress, heard) : []));
  }, []);

  const guarded = useCallback(async <T,>(asking: Promise<Answer<T>>): Promise<Answer<T>> => {
    try {
      return await asking;
    } catch (error) {
      if (!(error instanceof SignedOut)) throw error;
      signedOut();
      return { ok: false, error: "unauthorized" };
    }
  }, []);
  const listen = useCallback(async () => {
    const answer = await guarded(call<{ lines: Line[] }>("GET", `/api/session/${id}/talk`));
    if (!answer.ok || timeOf(answer.lines) <= timeOf(known.current)) return false;
    known.current = answer.lines;
    setLines(answer.lines);
    return true;
  }, [id]);
  const fetchAgain = useCallback(async () => {
    const number = ++asked.current;
    const answer = await guarded(call<Session>("GET", `/api/session/${id}`));
    if (answer.ok) take(answer, number);
    setFault(answer.ok ? "" : told(answer));
    if (answer.ok && !isChanging.current) await listen();
  }, [id]);

  useEffect(() => {
    void fetchAgain();
    // A browser has few connections for one server: a page that nobody sees holds none.
    let source: EventSource | undefined;
    const listening = () => {
      source?.close();
      source = document.hidden ? undefined : heard(id, {
        connected: (is) => {
          setConnected(is);
          if (is) void fetchAgain(); // whatever happened before it listened
        },
        state: (state, rev) => {
          const now = latest.current;
          if (!now || rev > now.rev || state !== now.session_state.state) void fetchAgain();
        },
        progress: (one) => setProgress((before) => withProgress(before, one)),
      });
    };
    listening();
    document.addEventListener("visibilitychange", listening);
    return () => {
      source?.close();
      document.removeEventListener("visibilitychange", listening);
    };
  }, [id]);

  const change = useCallback(
    async (verb: string, fields: object, words = "") => {
      setSpoken(words);
      setBusy(true);
      isChanging.current = true;
      const mine = ++changes.current;
      if (verb === "execute") setProgress([]);
      const rev = latest.current?.rev;
      const path = `/api/session/${id}/${verb}`;
      const body = { ...fields, ...(rev === undefined ? {} : { rev }) };
      const number = ++asked.current;
      const answer = await guarded(call<Session>(verb === "dsl" ? "PUT" : "POST", path, body));
      if (answer.ok) take(answer, number);
      else if (answer.error === "stale_rev") await fetchAgain();
      // What is asked next can be answered now, also while the talk is still on its way.
      if (mine === changes.current) setBusy(false);
      const isKept = await listen();
      if (!answer.ok || !isKept) {
        const reply: Said = answer.ok ? { who: "server", text: answer.message } : { who: "refused", text: told(answer) };
        setBesides((before) => withBesides(before, known.current, [{ who: "you", text: words }, reply]));
      }
      if (mine === changes.current) {
        setSpoken(undefined);
        isChanging.current = false;
      }
      return answer;
    },
    [id],
  );
  const search = useCallback(
    async (fields: object) => {
      const number = ++asked.current;
      const answer = await guarded(call<Found>("POST", `/api/session/${id}/search`, fields));
      if (answer.ok) take(answer, number); // what was found can be chosen now: the question has changed
      return answer;
    },
    [id],
  );
  const talk = merged(lines, besides);
  if (spoken) talk.push({ who: "you", text: spoken });
  return { session, fault, isBusy, isConnected, talk, progress, change, search };
}

interface Hearing {
  connected(is: boolean): void;
  state(state: string, rev: number): void;
  progress(one: Progress): void;
}

/** What happens in the session, as long as the source is open. */
function heard(id: string, hearing: Hearing): EventSource {
  const source = new EventSource(`/api/session/${id}/events`);
  source.onopen = () => hearing.connected(true);
  source.onerror = () => hearing.connected(false);
  source.addEventListener("state", (event) => {
    const { state, rev } = JSON.parse(event.data as string) as { state: string; rev: number };
    hearing.state(state, rev);
  });
  source.addEventListener("progress", (event) => {
    const { statement_index, status } = JSON.parse(event.data as string) as Partial<Progress>;
    if (statement_index !== undefined && status) hearing.progress({ statement_index, status });
  });
  return source;
}

function timeOf(lines: Line[]): number {
  return lines.at(-1)?.ts ?? 0;
}

/** News of a statement; what has ended does not run again, whatever comes late. */
function withProgress(before: Progress[], one: Progress): Progress[] {
  const last = before.find(({ statement_index }) => statement_index === one.statement_index);
  if (last && one.status === "running") return before;
  return [...before.filter((other) => other !== last), one];
}

function told(refusal: Refusal): string {
  if (refusal.error === "plan_stale") return "Nothing has run: what the program does has changed since its plan was shown.";
  if (refusal.error === "stale_rev") return "The session was changed elsewhere; this is how it stands now.";
  return refusal.message ?? refusal.error;
}
