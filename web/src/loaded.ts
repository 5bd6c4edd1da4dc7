// Parts of the page that are fetched when they are first needed: the screen, the editor.

import { useEffect, useState } from "preact/hooks";

export function useLoaded<T>(load: () => Promise<T>): { it: T | undefined; fault: string } {
  const [it, setIt] = useState<T>();
  const [fault, setFault] = useState("");
  useEffect(() => {
    let isOver = false;
    load().then(
      (loaded) => isOver || setIt(() => loaded),
      () => isOver || setFault("A part of the page could not be fetched; reload the page."),
    );
    return () => {
      isOver = true;
    };
  }, []);
  return { it, fault };
}
