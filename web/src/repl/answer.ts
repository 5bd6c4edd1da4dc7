// An option of a session's question as the request that means it and nothing else: candidates by
// their ids, a plan by its own, so that no number can mean another thing by the time it arrives.

import type { Callout, Session } from "./wire";

export function answerOf(
  session: Session,
  option: Callout["options"][number],
): { verb: string; fields: Record<string, unknown> } {
  const ref = session.unresolved_refs?.find((one) => one.status.state === "pending");
  switch (session.callout?.name) {
    case "clarify":
      return { verb: "intent", fields: { option_id: option.id } };
    case "resolve":
      if (ref) return { verb: "resolve", fields: { ref_id: ref.ref_id, entity_id: option.id } };
      break;
    case "run":
      if (option.id === "clear") return { verb: "action", fields: { action: "clear" } };
      if (option.id === "run" && session.plan) return { verb: "execute", fields: { plan_id: session.plan.plan_id } };
  }
  return { verb: "chat", fields: { message: String(option.n) } };
}
