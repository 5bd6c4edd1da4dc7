// The colours of a screen: those of the page.

import type { ITheme } from "@xterm/xterm";

export function theme(): ITheme {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  return {
    background: colour("--screen"),
    foreground: colour("--screen-ink"),
    cursor: colour("--accent"),
    selectionBackground: colour("--selection"),
    ...Object.fromEntries(
      ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"].flatMap((name) => [
        [name, colour(`--t-${name}`)],
        [`bright${name[0]?.toUpperCase()}${name.slice(1)}`, colour(`--t-${name}`)],
      ]),
    ),
  };
}
