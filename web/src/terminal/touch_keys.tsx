// Keys that a phone's keyboard does not have, for a program that wants them.

const KEYS: [name: string, shown: string, said: string][] = [
  ["Escape", "Esc", "Esc"],
  ["Tab", "Tab", "Tab"],
  ["C-c", "^C", "Ctrl-C"],
  ["Left", "←", "Left"],
  ["Up", "↑", "Up"],
  ["Down", "↓", "Down"],
  ["Right", "→", "Right"],
  ["Enter", "⏎", "Enter"],
];

export function TouchKeys({ onKeys }: { onKeys(keys: string[]): void }) {
  return (
    <div class="touch-keys" role="toolbar" aria-label="Keys for the program">
      {KEYS.map(([name, shown, said]) => (
        // The screen keeps the focus, and with it the phone's keyboard.
        <button key={name} type="button" aria-label={said} onPointerDown={(event) => event.preventDefault()} onClick={() => onKeys([name])}>
          {shown}
        </button>
      ))}
    </div>
  );
}
