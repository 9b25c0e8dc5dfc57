import type { Steps, SummarizeRequest } from "@threadfold/core";
import { spanCollectors } from "./collectors/collectors.ts";
import { readSpan } from "./read-span.ts";
import type { Harvest, HarvestContext } from "./span-collector.ts";

/** What code finds in the span of a request, one harvest a collector. */
export function* harvestSpan(request: SummarizeRequest): Steps<readonly Harvest[]> {
  const { messages, previous, lastTurn, pins, maxTokens, countTokens } = request;
  const context: HarvestContext = { messages, previous, lastTurn, pins, maxTokens, countTokens };
  const collectors = spanCollectors(request);
  yield* readSpan(messages, collectors);
  const harvests: Harvest[] = [];
  for (const collector of collectors) {
    yield;
    if (collector.prepare !== undefined) yield* collector.prepare(context);
    harvests.push(collector.harvest(context));
  }
  return harvests;
}
