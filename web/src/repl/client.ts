// One session, as the page knows it: what was answered last, and each change with the revision it
// was made upon, so that nothing is written over that was not seen.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { call, SignedOut, type Answer, type Refusal } from "../api";
import { signedOut } from "../looking";
import type { Found, Session } from "./wire";

export interface Said {
  who: "you" | "server" | "refused";
  text: string;
}

export interface Progress {
  statement_index: number;
  status: string;
}

export interface Known {
  session: Session | undefined;
  fault: string;
  isBusy: boolean;
  isConnected: boolean;
  talk: Said[];
  progress: Progress[];
  passed: string[]; // states since the last request, transient ones too
  change(verb: string, fields: object, spoken?: string): Promise<Answer<Session>>;
  search(fields: object): Promise<Answer<Found>>;
  say(said: Said): void;
}

const TALK_MAX = 300;

export function useSession(id: string): Known {
  const [session, setSession] = useState<Session>();
  const [fault, setFault] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [isConnected, setConnected] = useState(false);
  const [talk, setTalk] = useState<Said[]>([]);
  const [progress, setProgress] = useState<Progress[]>([]);
  const [passed, setPassed] = useState<string[]>([]);
  const latest = useRef<Session>(undefined);

  const say = useCallback((said: Said) => {
    if (said.text) setTalk((before) => [...before, said].slice(-TALK_MAX));
  }, []);
  const take = useCallback((told: Session) => {
    const before = latest.current;
    if (before && told.rev < before.rev) return; // an answer that was overtaken
    latest.current = told;
    setSession(told);
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
  const fetchAgain = useCallback(async () => {
    const answer = await guarded(call<Session>("GET", `/api/session/${id}`));
    if (answer.ok) take(answer);
    setFault(answer.ok ? "" : told(answer));
    return answer;
  }, [id]);

  useEffect(() => {
    latest.current = undefined;
    setSession(undefined);
    setTalk([]);
    void fetchAgain();
    void guarded(call<{ lines: { who: string; text: string }[] }>("GET", `/api/session/${id}/talk`)).then(
      (answer) => {
        if (!answer.ok) return;
        const before = answer.lines.map(({ who, text }): Said => ({ who: who === "user" ? "you" : "server", text }));
        setTalk((now) => [...before, ...now]);
      },
    );
    const source = new EventSource(`/api/session/${id}/events`);
    source.onopen = () => {
      setConnected(true);
      if (latest.current) void fetchAgain();
    };
    source.onerror = () => setConnected(false);
    source.addEventListener("state", (event) => {
      const { state, rev } = JSON.parse(event.data as string) as { state: string; rev: number };
      setPassed((before) => [...before, state].slice(-20));
      const now = latest.current;
      const isNews = !now || rev > now.rev || state !== now.session_state.state;
      if (isNews) void fetchAgain();
    });
    source.addEventListener("progress", (event) => {
      const one = JSON.parse(event.data as string) as Progress;
      setProgress((before) => [...before.filter((other) => other.statement_index !== one.statement_index), one]);
    });
    return () => source.close();
  }, [id]);

  const change = useCallback(
    async (verb: string, fields: object, spoken?: string) => {
      if (spoken) say({ who: "you", text: spoken });
      setBusy(true);
      setPassed([]);
      if (verb === "execute") setProgress([]);
      const rev = latest.current?.rev;
      const path = `/api/session/${id}/${verb}`;
      const body = { ...fields, ...(rev === undefined ? {} : { rev }) };
      const answer = await guarded(call<Session>(verb === "dsl" ? "PUT" : "POST", path, body));
      setBusy(false);
      if (answer.ok) {
        take(answer);
        say({ who: "server", text: answer.message });
      } else {
        say({ who: "refused", text: told(answer) });
        if (answer.error === "stale_rev") await fetchAgain();
      }
      return answer;
    },
    [id],
  );
  const search = useCallback(
    async (fields: object) => {
      const answer = await guarded(call<Found>("POST", `/api/session/${id}/search`, fields));
      if (answer.ok) take(answer); // what was found can be chosen now: the question has changed
      return answer;
    },
    [id],
  );
  return { session, fault, isBusy, isConnected, talk, progress, passed, change, search, say };
}

function told(refusal: Refusal): string {
  if (refusal.error === "stale_rev") return "The session was changed elsewhere; this is how it stands now.";
  return refusal.message ?? refusal.error;
}
