// Drawn here, so that nothing is fetched for them; words stand beside each.

import type { ComponentChildren } from "preact";

function Icon({ children }: { children: ComponentChildren }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" fill="none"
      stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round">
      {children}
    </svg>
  );
}

export const ICONS = {
  terminal: <Icon><rect x="2.5" y="3.5" width="15" height="13" rx="2.5" /><path d="M6 8l2.5 2L6 12M11 12.5h3.5" /></Icon>,
  questions: <Icon><path d="M4.5 3.5h11a2 2 0 0 1 2 2v6.5a2 2 0 0 1-2 2H9l-4 3v-3h-.5a2 2 0 0 1-2-2V5.5a2 2 0 0 1 2-2z" /><path d="M8.2 7.2a1.8 1.8 0 1 1 2.5 1.7c-.5.2-.7.5-.7 1M10 11.6v.1" /></Icon>,
  repl: <Icon><path d="M6.5 3.5C4 6.8 4 13.2 6.5 16.5M13.5 3.5c2.5 3.3 2.5 9.7 0 13M8.5 10h3M10 8.5v3" /></Icon>,
  tasks: <Icon><path d="M3 5.5l1.3 1.3L6.5 4.5M9.5 5.5H17M3 10.5l1.3 1.3 2.2-2.3M9.5 10.5H17M4 15.5h.5M9.5 15.5H17" /></Icon>,
  copy: <Icon><rect x="7" y="7" width="9.5" height="9.5" rx="2" /><path d="M13 7V5.5a2 2 0 0 0-2-2H5.5a2 2 0 0 0-2 2V11a2 2 0 0 0 2 2H7" /></Icon>,
  replay: <Icon><path d="M6.5 4.5l9 5.5-9 5.5z" /></Icon>,
  back: <Icon><path d="M12 4.5L6.5 10l5.5 5.5" /></Icon>,
};
