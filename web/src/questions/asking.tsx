// One question, answerable with keys 1 to 9, with buttons, or with text where it asks for text.

import { useRef, useState } from "preact/hooks";
import { answered, type Given, type Question } from "./inbox";

export function Asking({ question, onAnswered }: { question: Question; onAnswered(): void }) {
  const [fault, setFault] = useState("");
  const [isSent, setSent] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const give = async (given: Given) => {
    if (isSent) return;
    setSent(true);
    const refused = await answered(question, given);
    setSent(false);
    setFault(refused ?? "");
    if (!refused) onAnswered();
  };
  const isTyped = question.room !== "session"; // into a program, as it is
  const shortcut = (n: number) => (n <= 9 ? n : undefined);
  return (
    <div class="asking" aria-busy={isSent}>
      {question.context && <pre class="context" tabIndex={0} aria-label="On its screen">{question.context.join("\n")}</pre>}
      {question.error && <p class="fault">{question.error}</p>}
      {question.input === "text" ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            const text = field.current?.value ?? "";
            if (text.trim() || isTyped) void give({ text });
          }}
        >
          <input
            ref={field}
            aria-label={question.question || "Answer"}
            autocomplete="off"
            spellcheck={false}
            defaultValue={question.offered ?? ""}
            placeholder={isTyped ? "The exact text to type; nothing is Enter alone" : "Say it here"}
          />
          <button type="submit" class="main">Answer</button>
        </form>
      ) : (
        <ol class="options">
          {question.options.map(({ n, id, label }) => (
            <li key={id}>
              <button type="button" data-n={shortcut(n)} disabled={isSent} onClick={() => void give({ n })}>
                <kbd>{shortcut(n) ?? "·"}</kbd>
                <span>{label}</span>
              </button>
            </li>
          ))}
        </ol>
      )}
      {fault && <p class="fault" role="alert">{fault}</p>}
    </div>
  );
}
