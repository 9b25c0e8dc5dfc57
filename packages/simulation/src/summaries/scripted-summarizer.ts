import {
  applySummaryChanges,
  type Message,
  renderSummary,
  type SummarizeRequest,
  type SummarizeResult,
  type Summarizer,
  type SummaryChange,
  sha256,
  spanOf,
} from "@threadfold/core";
import { ExtractiveSummarizer } from "@threadfold/summarizers";

/** The stand-ins for a summarizing model: the notes of a careful reader, and the same with half of them lost. */
export const SCRIPTED_SUMMARIZERS = ["extractive", "lossy"] as const;
export type ScriptedSummarizerId = (typeof SCRIPTED_SUMMARIZERS)[number];

/** A stand-in for a summarizing model, the same for every policy: equal spans produce equal summaries. */
export interface ScriptedSummarizer {
  readonly id: ScriptedSummarizerId;
  /** For policies that use a summary as text. */
  readonly text: (span: readonly Message[], maxTokens: number) => Promise<string>;
  /** For our own presets. */
  readonly summarizer: Summarizer;
  /** True when it stands in for a model whose calls are paid for, even if a policy could do without one. */
  readonly isModel: boolean;
}

const EXTRACTIVE = new ExtractiveSummarizer();

/** The lossy stand-in keeps the notes whose digest begins with one of these: half of them. */
const KEPT_DIGITS = "01234567";

/** Returns the stand-in with that id. */
export function scriptedSummarizer(id: ScriptedSummarizerId): ScriptedSummarizer {
  const isModel = id === "lossy";
  const summarizer = isModel ? LOSSY : EXTRACTIVE;
  return { id, isModel, summarizer, text: async (span, maxTokens) => summaryText(summarizer, span, maxTokens) };
}

const LOSSY: Summarizer = {
  id: "lossy-v1",
  async summarize(request: SummarizeRequest): Promise<SummarizeResult> {
    const { changes } = await EXTRACTIVE.summarize(request);
    const kept = changes.filter(isKept);
    return kept.length === 0 ? { changes: [], nothingToSay: true } : { changes: kept };
  },
};

const isKept = (change: SummaryChange): boolean =>
  change.op !== "add" || KEPT_DIGITS.includes(sha256(JSON.stringify(change.item)).charAt(0));

async function summaryText(summarizer: Summarizer, messages: readonly Message[], maxTokens: number): Promise<string> {
  if (messages.length === 0) return "";
  const span = spanOf(messages);
  const request = { span, messages, previous: null, pins: [], maxTokens, countTokens: tokensOf };
  const { changes } = await summarizer.summarize(request);
  return renderSummary(applySummaryChanges(null, span, changes).summary);
}

const tokensOf = (text: string): number => Math.ceil(text.length / 4);
