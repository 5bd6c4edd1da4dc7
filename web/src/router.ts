// Addresses of the page: each view, and each thing in a view, has one.

import { useEffect, useState } from "preact/hooks";

export type View = "terminal" | "questions" | "repl" | "tasks";

export interface Place {
  view: View;
  id: string | undefined;
}

const ROOTS: Record<View, string> = { terminal: "/", questions: "/questions", repl: "/repl", tasks: "/tasks" };
const THINGS: [RegExp, View][] = [
  [/^\/t\/([\w.-]+)$/, "terminal"],
  [/^\/r\/([\w.-]+)$/, "repl"],
  [/^\/tasks\/([\w.-]+)$/, "tasks"],
];

export function placeOf(path: string): Place {
  for (const [pattern, view] of THINGS) {
    const id = pattern.exec(path)?.[1];
    if (id) return { view, id };
  }
  const view = (Object.keys(ROOTS) as View[]).find((one) => ROOTS[one] === path);
  return { view: view ?? "terminal", id: undefined };
}

export function pathOf(view: View, id?: string): string {
  if (!id) return ROOTS[view];
  return { terminal: `/t/${id}`, repl: `/r/${id}`, tasks: `/tasks/${id}`, questions: "/questions" }[view];
}

export function go(path: string): void {
  if (path === location.pathname + location.hash) return;
  history.pushState(null, "", path);
  dispatchEvent(new PopStateEvent("popstate"));
}

export function usePath(): string {
  const [path, setPath] = useState(location.pathname);
  useEffect(() => {
    const moved = () => setPath(location.pathname);
    addEventListener("popstate", moved);
    return () => removeEventListener("popstate", moved);
  }, []);
  return path;
}

/** For links: an ordinary click stays in the page, any other does what browsers do. */
export function followed(event: MouseEvent): void {
  const link = event.currentTarget as HTMLAnchorElement;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  go(link.pathname + link.hash);
}
