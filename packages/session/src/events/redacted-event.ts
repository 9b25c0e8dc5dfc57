import type { ContextCompactionEvent, JsonValue } from "@threadfold/core";
import { redactJson } from "@threadfold/summarizers";

/**
 * An event without secrets. Most events carry ids and figures alone and come back as they are; an outcome brings its plan
 * along, and a plan quotes key fields of results and arguments of calls.
 */
export async function redactedEvent(event: ContextCompactionEvent): Promise<ContextCompactionEvent> {
  if (event.type !== "compaction_completed" || !("plan" in event.outcome)) return event;
  return (await redactJson(event as unknown as JsonValue)) as unknown as ContextCompactionEvent;
}
