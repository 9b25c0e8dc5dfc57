import {
  canonicalJson,
  type FileItem,
  isUnsettled,
  type MessageId,
  type OpenItem,
  recallTerms,
  type StructuredSummary,
  SUMMARY_SECTIONS,
  type Summarizer,
  type SummaryItem,
  type SummarySection,
} from "@threadfold/core";
import {
  checkedSummarizer,
  DEFAULT_CHECKS,
  ExtractiveSummarizer,
  fallbackSummarizer,
  handoffPrompt,
  modelSummarizer,
  redactingSummarizer,
} from "@threadfold/summarizers";
import { limitedSummarizer, SUMMARY_TIME_LIMIT_MS } from "@threadfold/turn";
import type { SessionOptions } from "../host/session-options.ts";

/** Sections that are kept whatever the goal is. */
const ALWAYS: ReadonlySet<SummarySection> = new Set(["constraints"]);

/**
 * Returns the part of a summary that matters to a goal: always constraints, open work and changed files, and other
 * items if they share a word with the goal or come from a message that was found for it. Nothing is rewritten.
 */
export function goalSummary(
  summary: StructuredSummary,
  goal: string,
  found: ReadonlySet<MessageId>,
): StructuredSummary {
  const common = commonTerms(summary);
  const wanted = new Set(recallTerms(goal).filter((term) => term.length > 2 && !common.has(term)));
  const matters = (section: SummarySection, item: SummaryItem): boolean =>
    ALWAYS.has(section) ||
    (section === "openItems" && isUnsettled(item as OpenItem)) ||
    (section === "files" && (item as FileItem).action !== "read") ||
    item.sources.some((source) => found.has(source)) ||
    termsOf(item).some((term) => wanted.has(term));
  const sections = SUMMARY_SECTIONS.map((section) => {
    const items: readonly SummaryItem[] = summary[section];
    return [section, items.filter((item) => matters(section, item))];
  });
  return { ...summary, ...(Object.fromEntries(sections) as Pick<StructuredSummary, SummarySection>) };
}

/** Returns the words that are in more than a third of the items: they do not distinguish any item from the others. */
function commonTerms(summary: StructuredSummary): ReadonlySet<string> {
  const items = SUMMARY_SECTIONS.flatMap((section): readonly SummaryItem[] => summary[section]);
  const counts = new Map<string, number>();
  for (const item of items) for (const term of new Set(termsOf(item))) counts.set(term, (counts.get(term) ?? 0) + 1);
  const most = Math.max(3, items.length / 3);
  return new Set([...counts].filter(([, count]) => count > most).map(([term]) => term));
}

function termsOf(item: SummaryItem): readonly string[] {
  const { id: _id, sources: _sources, ...content } = item;
  return recallTerms(canonicalJson(content));
}

/** The session options that concern a handoff's summary. */
export type HandoffSummaryOptions = Pick<
  SessionOptions,
  "summarizer" | "summaryModel" | "summaryModelSettings" | "summaryTimeLimitMs" | "summaryChecks" | "redactSecrets"
>;

/**
 * Returns the summarizer for a handoff: the host's own, or else a model, which is asked for what the goal needs. Either
 * is checked as in a fold, and the extractive summarizer replaces it when it fails, because a handoff has no further
 * rung. Redaction is outermost.
 */
export function handoffSummarizer({
  summarizer,
  summaryModel,
  summaryModelSettings,
  summaryTimeLimitMs: timeLimitMs = SUMMARY_TIME_LIMIT_MS,
  summaryChecks = DEFAULT_CHECKS,
  redactSecrets = true,
}: HandoffSummaryOptions): Summarizer {
  if (summarizer === undefined && summaryModel !== undefined) {
    const asked = { ...summaryModelSettings, model: summaryModel, prompt: handoffPrompt, timeLimitMs };
    return limitedSummarizer(
      modelSummarizer({ ...asked, checks: summaryChecks, redact: redactSecrets }),
      2 * timeLimitMs,
    );
  }
  const reader =
    summarizer === undefined
      ? new ExtractiveSummarizer()
      : fallbackSummarizer(limitedSummarizer(checkedSummarizer(summarizer, summaryChecks), timeLimitMs));
  return redactSecrets ? redactingSummarizer(reader) : reader;
}
