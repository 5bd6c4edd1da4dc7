// What one does with a conversation now and then.

import { exportPath } from "./cast";

export function More({ id, call, onFit }: {
  id: string;
  call(operation: string, fields?: Record<string, unknown>): Promise<boolean>;
  onFit(): void;
}) {
  const confirmed = (question: string, operation: string) => {
    if (confirm(question)) void call(operation);
  };
  return (
    <details class="menu">
      <summary>More</summary>
      <div>
        <button type="button" class="narrow" onClick={onFit}>Fit to window</button>
        <a href={exportPath(id, "asciicast")} download={`${id}.cast`}>Download as asciicast</a>
        <a href={exportPath(id, "text")} download={`${id}.txt`}>Download as text</a>
        <button type="button" onClick={() => confirmed("End what runs and begin a fresh shell?", "pty.reset")}>
          Reset the shell
        </button>
        <button type="button" onClick={() => confirmed("End the shell and all that came from it?", "pty.close")}>
          Close the shell
        </button>
      </div>
    </details>
  );
}
