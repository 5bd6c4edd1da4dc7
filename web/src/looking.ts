// What the server has, looked at again and again while somebody looks at the page.

import { useEffect, useRef, useState } from "preact/hooks";
import { ask, SignedOut, type Answer } from "./api";

const LOOK_MS = 1500;

export interface Looked<T> {
  it: T | undefined; // undefined: not known yet
  fault: string;
  again(): void;
}

type SignOut = () => void;
let signOut: SignOut = () => {};

/** Who is told that this browser is not signed in any more. */
export function onSignedOut(told: SignOut): void {
  signOut = told;
}

/** This browser is not signed in any more. */
export function signedOut(): void {
  signOut();
}

/** An operation's answer, or nothing where the session is over. */
export async function asked<T>(
  operation: string,
  fields: Record<string, unknown> = {},
): Promise<Answer<T> | undefined> {
  return told(ask<T>(operation, fields));
}

/** The same of a route that is not an operation's own. */
export async function told<T>(asking: Promise<Answer<T>>): Promise<Answer<T> | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (!(error instanceof SignedOut)) throw error;
    signOut();
    return undefined;
  }
}

/** `look` once, and then as long as the page is seen; a hidden page asks nothing. */
export function useLooking<T>(look: () => Promise<T | string | undefined>, wait = LOOK_MS): Looked<T> {
  const [it, setIt] = useState<T>();
  const [fault, setFault] = useState("");
  const now = useRef(() => {});
  useEffect(() => {
    let timer: number | undefined;
    let isOver = false;
    let last = "";
    const round = async () => {
      clearTimeout(timer);
      if (!document.hidden) {
        const found = await look();
        if (isOver || found === undefined) return;
        setFault(typeof found === "string" ? found : "");
        const told = JSON.stringify(found);
        if (typeof found !== "string" && told !== last) {
          last = told;
          setIt(() => found);
        }
      }
      clearTimeout(timer);
      timer = window.setTimeout(() => void round(), wait);
    };
    const seen = () => document.hidden || void round();
    now.current = () => void round();
    void round();
    document.addEventListener("visibilitychange", seen);
    return () => {
      isOver = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", seen);
    };
  }, []);
  return { it, fault, again: () => now.current() };
}
