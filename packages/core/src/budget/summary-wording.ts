import { z } from "zod";
import { textSchema } from "../json/json-value.ts";

/** No longer, in UTF-16 code units: these words stand in every request that shows a summary. */
const MAX_WORDING = 2_000;

const words = textSchema
  .max(MAX_WORDING)
  .refine((text) => text.trim() !== "", { error: "expected words, or nothing at all" });

/**
 * The words that a policy puts around its summaries, beside the frame that every summary has: what a system says to its
 * model when it hands one over (seeds 000, 001 and 003). They are the operator's own and go out as they are.
 */
export const summaryWordingSchema = z.strictObject({
  /**
   * Lines before the frame of a request's first summary, in the same message. `{round}` stands for the number of folds
   * inside that summary. Systems of the seeds have one summary; where spans that stay leave several, it is said once.
   */
  introduction: words.optional(),
  /**
   * With the summary role `pair` only: the user message holds the summary, and this is what the assistant message says to
   * it. Without it the user message asks, and the assistant message is the summary.
   */
  answer: words.optional(),
});
export type SummaryWording = Readonly<z.infer<typeof summaryWordingSchema>>;
