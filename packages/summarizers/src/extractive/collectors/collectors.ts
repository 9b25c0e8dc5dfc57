import type { Steps, SummarizeRequest } from "@threadfold/core";
import { readSpan } from "../read-span.ts";
import type { Harvest, HarvestContext, SpanCollector, SpanStart } from "../span-collector.ts";
import { SpanPaths } from "../text/span-paths.ts";
import { SpanWords } from "../text/span-words.ts";
import { AskedForCollector } from "./asked-for-collector.ts";
import { CommitCollector } from "./commit-collector.ts";
import { ConstraintCollector } from "./constraint-collector.ts";
import { DecisionCollector } from "./decision-collector.ts";
import { FactCollector } from "./fact-collector.ts";
import { FileCollector } from "./file-collector.ts";
import { HandoffCollector } from "./handoff-collector.ts";
import { IdentifierCollector } from "./identifier-collector.ts";
import { OutcomeCollector } from "./outcome-collector.ts";
import { QuestionCollector } from "./question-collector.ts";
import { ReportCollector } from "./report-collector.ts";
import { RequestCollector } from "./request-collector.ts";
import { RunCollector } from "./run-collector.ts";
import { TaskCollector } from "./task-collector.ts";
import { TodoCollector } from "./todo-collector.ts";

/** Fresh collectors for one span, one per kind of thing that a summary holds. */
function spanCollectors(start: SpanStart): readonly SpanCollector[] {
  const words = new SpanWords(start.messages);
  const paths = new SpanPaths((start.previous?.files ?? []).map(({ path }) => path));
  return [
    new ConstraintCollector(),
    new RequestCollector(start),
    new QuestionCollector(start),
    new TodoCollector(),
    new TaskCollector(start),
    new FileCollector(words, paths),
    new RunCollector(paths),
    new OutcomeCollector(),
    new DecisionCollector(),
    new FactCollector(),
    new HandoffCollector(),
    new CommitCollector(),
    new ReportCollector(words),
    new AskedForCollector(start.instructions),
    new IdentifierCollector(paths),
  ];
}

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
