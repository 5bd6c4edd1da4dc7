// Everything that waits for an answer, from whatever room, and how each is answered.

import { call, said } from "../api";
import { answerOf } from "../repl/answer";
import type { Session } from "../repl/wire";
import { asked, told, useLooking, type Looked } from "../looking";
import { pathOf } from "../router";

export interface Question {
  callout_id: string;
  room: "session" | "menu" | "component";
  source: string; // the session's or the task's id
  name: string; // what kind of question: clarify, resolve, create, run, menu, text
  question: string;
  options: { n: number; id: string; label: string }[];
  input: "choice" | "text";
  context?: string[];
  offered?: string; // words that may do, of a text
  error?: string;
  rev?: number; // of a session, when it asked
}

export type Inbox = Looked<Question[]>;

export function useInbox(): Inbox {
  return useLooking(async () => {
    const answer = await asked<{ callouts: Question[] }>("callout.list");
    if (answer === undefined) return undefined;
    return answer.ok ? answer.callouts : "The server does not answer; the page tries again.";
  });
}

export function placeOfQuestion(one: Question): string {
  return one.room === "session" ? pathOf("repl", one.source) : pathOf("tasks", one.source);
}

export interface Given {
  n?: number; // of an option
  text?: string;
}

/** Why it was not taken, or nothing.  What is answered is this very question: not a later one. */
export async function answered(one: Question, given: Given): Promise<string | undefined> {
  const option = one.options.find(({ n }) => n === given.n);
  if (one.room === "session") return option ? answeredSession(one, option) : saidInSession(one, given.text ?? "");
  const answer = await asked<object>(`${one.room}.select`, {
    task_id: one.source,
    selection_id: one.callout_id,
    selected_option: option?.label ?? given.text ?? "",
    ...(option ? { index: option.n - 1 } : {}), // two options may say the same
  });
  return answer === undefined || answer.ok ? undefined : said(answer);
}

/** The session as it was when it asked takes the words, and no other. */
async function saidInSession(one: Question, message: string): Promise<string | undefined> {
  const answer = await told(call("POST", `/api/session/${one.source}/chat`, { message, rev: one.rev }));
  if (answer === undefined || answer.ok) return undefined;
  return answer.error === "stale_rev" ? "It asks something else now; look again." : said(answer);
}

async function answeredSession(one: Question, option: Question["options"][number]): Promise<string | undefined> {
  const path = `/api/session/${one.source}`;
  const session = await told(call<Session>("GET", path));
  if (!session?.ok) return session && said(session);
  if (session.callout?.callout_id !== one.callout_id) return "It asks something else now; look again.";
  const { verb, fields } = answerOf(session, option);
  const answer = await told(call("POST", `${path}/${verb}`, { ...fields, rev: session.rev }));
  return answer === undefined || answer.ok ? undefined : said(answer);
}
