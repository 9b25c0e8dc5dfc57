import type { NewItem, Summarizer, SummaryChange } from "@threadfold/core";
import { ExtractiveSummarizer } from "@threadfold/summarizers";
import type { CombinedRuling } from "../hooks/run-hooks.ts";
import { limitedSummarizer } from "./limited-summarizer.ts";

/**
 * A summarizer that gives the summary of a hook (L21). A text goes in as facts, one for each of its paragraphs, so that a
 * summary that is too long loses its oldest paragraphs and not all of itself; the original task stands beside it word for
 * word, and pins are no part of a summary.
 */
export function suppliedSummarizer(
  { hook, summary }: NonNullable<CombinedRuling["summary"]>,
  timeLimitMs?: number,
): Summarizer {
  const id = `hook:${hook}`;
  if (typeof summary === "function")
    return limitedSummarizer({ id, summarize: async (request) => summary(request) }, timeLimitMs);
  const paragraphs = summary.split(/\n\s*\n/).flatMap((text) => (text.trim() === "" ? [] : [text.trim()]));
  return {
    id,
    summarize: async (request) => {
      const { changes } = await new ExtractiveSummarizer().summarize(request);
      const facts = paragraphs.map((text): SummaryChange => {
        const item: NewItem<"facts"> = { text, sources: [...request.span.messageIds] };
        return { op: "add", section: "facts", item };
      });
      return { changes: [...changes.filter(({ op }) => op === "set-original-task"), ...facts] };
    },
  };
}
