// The page's way to the service: operations by their names, refusals as values.

export interface Refusal {
  ok: false;
  error: string;
  message?: string;
  mode?: string;
  plan_id?: string | null; // the plan as it is now, of one that is stale
  statements?: { statement_index: number; phase: number; verb: string; effect: string; text: string }[];
  changed?: Change[];
}

/** An entity that is not what it was when a plan was shown; `now` is empty when it is gone. */
export interface Change {
  entity_id: string;
  entity_type: string;
  before: string;
  now: string;
}

export type Answer<T> = (T & { ok: true }) | Refusal;

export interface Conversation {
  conversation_id: string;
  mode: Mode;
  shell_id: string | null;
  resume_cursor: number;
  last_activity: number;
}

export type Mode = "idle" | "block_running" | "interactive";

export interface Block {
  block_id: string;
  conversation_id: string;
  seq: number;
  cmd: string;
  cwd: string;
  ts_begin: number;
  ts_end: number | null;
  status: "running" | "interactive" | "completed" | "failed" | "cancelled";
  exit_code: number | null;
  output_bytes: number;
}

export interface Hit {
  block_id: string;
  line: number;
  text: string;
  cursor: number;
}

/** The session is over, or was never there: a new address from the command line opens one. */
export class SignedOut extends Error {}

export async function ask<T>(
  operation: string,
  fields: Record<string, unknown> = {},
): Promise<Answer<T>> {
  const [group, verb] = operation.split(".") as [string, string];
  const { conversation_id: id, ...rest } = fields;
  const path = id === undefined ? `/api/${group}/${verb}` : `/api/${group}/${String(id)}/${verb}`;
  let response: Response;
  try {
    response = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(rest),
    });
  } catch {
    return { ok: false, error: "host_unavailable", message: "the server does not answer" };
  }
  if (response.status === 401) throw new SignedOut();
  return (await response.json()) as Answer<T>;
}

export function said(refusal: Refusal): string {
  return refusal.message ?? refusal.error;
}

/** A route that is not an operation's own: its method, its path, its body. */
export async function call<T>(method: string, path: string, body?: object): Promise<Answer<T>> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
  } catch {
    return { ok: false, error: "host_unavailable", message: "The server does not answer." };
  }
  if (response.status === 401) throw new SignedOut();
  let told: Record<string, unknown>;
  try {
    told = (await response.json()) as Record<string, unknown>;
  } catch {
    return { ok: false, error: "host_unavailable", message: `The server answered ${response.status}.` };
  }
  if (!response.ok || told["ok"] === false) return { error: "failed", ...told, ok: false };
  return { ...told, ok: true } as Answer<T>;
}
