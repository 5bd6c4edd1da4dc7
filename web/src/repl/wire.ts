// A session as the server tells it: the one object that every change of it answers with.

export interface Span {
  start: number; // bytes
  end: number;
  line: number; // from 1
  column: number; // code points, from 1
}

export interface Edit {
  span: Span;
  text: string;
}

export interface Diagnostic {
  code: string;
  severity: "error" | "warning";
  message: string;
  span: Span;
  labels: { span: Span; text: string }[];
  help: string | null;
  fixes: { title: string; applicability: "machine" | "maybe"; edits: Edit[] }[];
  rendered: string;
}

export interface Field {
  name: string;
  label?: string;
  is_default?: boolean;
  values?: string[];
  weight?: number;
}

export interface Match {
  id: string;
  display: string;
  entity_type: string;
  score: number;
  features: { name: string; points: number }[];
  differs: Record<string, string | null>;
}

export interface UnresolvedRef {
  ref_id: string;
  location: { statement_index: number; verb: string; arg_name: string; arg_path: string; span: Span };
  search_value: string;
  entity_type: string;
  config: {
    search_keys: (Field | string)[];
    discriminators: (Field | string)[];
    resolution_mode: string;
    return_key_type: string;
  };
  initial_matches: Match[];
  total: number;
  status: { state: "pending" | "resolved" | "skipped" | "created_new"; [more: string]: unknown };
}

export interface Plan {
  plan_id: string;
  phases: number[][];
  statements: { statement_index: number; verb: string; effect: string; text: string }[];
}

export interface Result {
  statement_index: number;
  verb: string;
  status: "ok" | "failed" | "skipped";
  error?: string; // a code
  message?: string;
  blocked_by?: number;
  bound?: { name: string; id: string; entity_type: string | null };
  value?: unknown;
  exit_code?: number;
}

export interface Callout {
  callout_id: string;
  name: string;
  block: string;
  options: { n: number; id: string; label: string }[];
}

export interface Option {
  id: string;
  verb: string;
  label: string;
  description: string;
}

export interface Creating {
  entity_type: string;
  step: number; // which field is asked, from 1; one more: the summary
  fields: { name: string; type: string; value: string | null; offered: string | null }[];
  block: string | null;
}

export interface Progress {
  statement_index: number;
  status: string;
}

export interface Line {
  ts: number;
  who: string; // user or antiphon
  text: string;
}

export interface SessionState {
  state: string;
  success?: boolean;
  creating?: Creating | null;
  cancel_requested?: boolean;
  plan?: Plan; // that runs
  progress?: Progress[];
}

export interface Session {
  session_id: string;
  rev: number;
  message: string;
  session_state: SessionState;
  dsl_source: string | null;
  dsl_status: {
    stage: string;
    progress: { current: number; total: number } | null;
    warnings: Diagnostic[];
  } | null;
  intent_options: Option[] | null;
  unresolved_refs: UnresolvedRef[] | null;
  errors: Diagnostic[] | null;
  plan: Plan | null;
  results: Result[] | null;
  can_execute: boolean;
  available_actions: string[];
  auto_resolved: { ref_id: string; entity_id: string; display: string; method: string; score: number }[] | null;
  dsl_user_edited: boolean;
  bindings: Record<string, { id: string; entity_type: string | null }> | null;
  trace: string[];
  callout: Callout | null;
}

export interface Found extends Session {
  matches: Match[];
  total: number;
  offset: number;
  fallback_matches?: Match[];
}

/** The name of a field, which a pack may give with more about it. */
export function named(field: Field | string): Field {
  return typeof field === "string" ? { name: field } : field;
}

/** Text by bytes, as the server counts, and by UTF-16, as a browser does. */
export class Places {
  private readonly bytes: Uint8Array;

  constructor(text: string) {
    this.bytes = new TextEncoder().encode(text);
  }

  index(byte: number): number {
    return new TextDecoder().decode(this.bytes.subarray(0, byte)).length;
  }
}

export function byteOf(text: string, index: number): number {
  return new TextEncoder().encode(text.slice(0, index)).length;
}
