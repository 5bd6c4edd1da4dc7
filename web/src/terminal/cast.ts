// A recording as anyone can download it, and where it is.

export type CastEvent = [interval: number, code: string, data: string];

export interface Cast {
  cols: number;
  rows: number;
  events: CastEvent[];
}

export function castOf(text: string): Cast {
  const [head, ...rest] = text.trimEnd().split("\n");
  const header = JSON.parse(head ?? "{}") as { term?: { cols: number; rows: number } };
  const events = rest
    .filter((line) => line.startsWith("["))
    .map((line) => JSON.parse(line) as CastEvent);
  return { cols: header.term?.cols ?? 120, rows: header.term?.rows ?? 40, events };
}

export function exportPath(conversation: string, format: string, block?: string): string {
  const query = new URLSearchParams({ format, ...(block ? { block } : {}) });
  return `/api/pty/${conversation}/export?${query}`;
}
