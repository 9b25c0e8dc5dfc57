import { type CompletionModel, canonicalJson, renderSummary, visibleText } from "@threadfold/core";
import * as z from "@threadfold/core/schema";
import { jsonObjects } from "../llm/answer/read-answer.ts";
import { cutMiddle } from "../text/excerpt.ts";
import type { SummaryCheck, SummaryProposal } from "./summary-checks.ts";

/** Options of {@link secondOpinion}. */
export interface SecondOpinionOptions {
  /** The model to ask. A different model from the one that wrote the summary notices more. */
  readonly model: CompletionModel;
  /** The most tokens of the span that the model is shown; 60 000 by default. */
  readonly maxInputTokens?: number;
  /** What to do when the model returns no usable verdict. `accept` by default: it is a second look, not a gate. */
  readonly otherwise?: "accept" | "refuse";
}

const SYSTEM =
  "You check notes that were taken of a conversation, before they replace it. Look for statements that contradict the conversation, rules or unfinished work that are missing, and work that is called done and is not. Style and brevity are no faults.";
const ASK =
  'Answer with one JSON object and nothing else: { "verdict": "good" } or { "verdict": "bad", "problem": "the worst fault, in one sentence" }.';
const verdictSchema = z.object({ verdict: z.enum(["good", "bad"]), problem: z.string().default("") });

/** Returns a check that asks another model whether the notes represent the span faithfully. */
export function secondOpinion({
  model,
  maxInputTokens = 60_000,
  otherwise = "accept",
}: SecondOpinionOptions): SummaryCheck {
  return {
    name: "second-opinion",
    problem: async (proposal) => {
      const text = await answerOf(model, proposal, maxInputTokens);
      for (const value of text === null ? [] : jsonObjects(text)) {
        const parsed = verdictSchema.safeParse(value);
        if (parsed.success) return parsed.data.verdict === "good" ? null : parsed.data.problem || "the notes are bad";
      }
      proposal.request.signal?.throwIfAborted();
      return otherwise === "accept" ? null : "there was no second opinion";
    },
  };
}

async function answerOf(
  model: CompletionModel,
  { request: { messages, countTokens, signal }, summary }: SummaryProposal,
  maxInputTokens: number,
): Promise<string | null> {
  const said = messages.map((message) => canonicalJson([message.role, visibleText(message)])).join("\n");
  const text = [
    `The conversation, one message a line as JSON:\n${cutMiddle(said, maxInputTokens, countTokens)}`,
    `The notes, as a JSON string:\n${canonicalJson(renderSummary(summary))}`,
    ASK,
  ].join("\n\n");
  try {
    const result = await model.complete({
      system: SYSTEM,
      messages: [{ role: "user", text }],
      maxOutputTokens: 500,
      ...(signal !== undefined && { signal }),
    });
    return result.toolCalls === 0 ? result.text : null;
  } catch {
    return null;
  }
}
