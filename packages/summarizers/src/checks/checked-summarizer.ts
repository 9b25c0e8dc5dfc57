import { applySummaryChanges, type SummarizeRequest, type SummarizeResult, type Summarizer } from "@threadfold/core";
import { rejection } from "../llm/summarizer-rejection.ts";
import { identifiersExact } from "./identifiers-exact.ts";
import { notBlank } from "./not-blank.ts";
import { rulesKept } from "./rules-kept.ts";
import { smallerThanInput } from "./smaller-than-input.ts";
import { sourcesKnown } from "./sources-known.ts";
import type { SummaryCheck } from "./summary-check.ts";

/** What every summary of a foreign hand should keep. No tool calls: a `SummarizeResult` cannot hold one. */
export const DEFAULT_CHECKS: readonly SummaryCheck[] = Object.freeze([
  notBlank,
  sourcesKnown,
  rulesKept,
  identifiersExact,
  smallerThanInput,
]);

/**
 * A summarizer whose summaries are looked at before they are accepted. The first check that finds a problem ends it: the
 * fold then goes on without the summarizer, as it does when one fails.
 *
 * Its `summarize` throws `SUMMARIZER_FAILED` with the check's name as the reason.
 */
export function checkedSummarizer(inner: Summarizer, checks: readonly SummaryCheck[] = DEFAULT_CHECKS): Summarizer {
  const names = checks.map(({ name }) => name);
  return {
    id: `${inner.id} checked`,
    identity: { summarizer: "checked", checks: names, inner: inner.identity ?? inner.id },
    async summarize(request: SummarizeRequest): Promise<SummarizeResult> {
      const result = await inner.summarize(request);
      const { summary } = applySummaryChanges(request.previous, request.span, result.changes);
      for (const check of checks) {
        const problem = await check.problem({ request, changes: result.changes, summary });
        if (problem !== null) throw rejection(check.name, problem);
      }
      return result;
    },
  };
}
