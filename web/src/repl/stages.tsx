// The stages of the compiler as a strip, with the one that is reached lit.

import type { Session } from "./wire";

const STAGES = [
  ["intent", "Intent"],
  ["parsing", "Syntax"],
  ["semantic_validation", "Meaning"],
  ["ref_resolution", "References"],
  ["dependency_resolution", "Order"],
  ["ready", "Ready"],
  ["run", "Run"],
] as const;

const OF_STATE: Record<string, [stage: string, is: "now" | "ill" | "done"]> = {
  new: ["intent", "now"],
  intent_capture: ["intent", "now"],
  intent_clarify: ["intent", "now"],
  dsl_assembly: ["intent", "now"],
  syntax_validation: ["parsing", "now"],
  syntax_error: ["parsing", "ill"],
  semantic_validation: ["semantic_validation", "now"],
  semantic_error: ["semantic_validation", "ill"],
  unresolved_refs: ["ref_resolution", "now"],
  dependency_resolution: ["dependency_resolution", "now"],
  dependency_error: ["dependency_resolution", "ill"],
  ready_to_run: ["ready", "now"],
  executing: ["run", "now"],
  executed: ["run", "done"],
};

const WORDS = { past: "passed", now: "here", ill: "fault here", done: "done", later: "not yet" };

export function Stages({ session }: { session: Session }) {
  const { state, success } = session.session_state;
  const [stage, how] = OF_STATE[state] ?? ["", "now"];
  const at = STAGES.findIndex(([one]) => one === stage);
  const is = state === "executed" && success === false ? "ill" : how;
  const progress = session.dsl_status?.progress;
  return (
    <ol class="stages" aria-label="Stages of the compiler">
      {STAGES.map(([one, name], index) => {
        const look = index < at ? "past" : index === at ? is : "later";
        return (
          <li key={one} class={look} aria-current={index === at ? "step" : undefined}>
            <span class="name">{name}</span>
            {index === at && one === "ref_resolution" && progress && (
              <span class="count">{progress.current} of {progress.total}</span>
            )}
            <span class="hidden">: {WORDS[look]}</span>
          </li>
        );
      })}
    </ol>
  );
}
