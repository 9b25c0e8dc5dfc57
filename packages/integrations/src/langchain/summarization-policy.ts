import { roomTokens, ThreadfoldError } from "@threadfold/core";
import {
  allOf,
  anyOf,
  type CompactionPreset,
  type CompactionTrigger,
  type CutPoint,
  LAST_RESORT,
  lastMessages,
  lastTokens,
  shownMessageCountTrigger,
  threadfoldPreset,
  tokenCountTrigger,
  tokenFractionTrigger,
  windowStrategy,
} from "@threadfold/strategies";
import { z } from "zod";

const fraction = z.number().gt(0).max(1);
const contextSize = z
  .strictObject({
    fraction: fraction.optional(),
    tokens: z.number().positive().optional(),
    messages: z.int().positive().optional(),
  })
  .refine((size) => Object.values(size).some((value) => value !== undefined), {
    error: "at least one of fraction, tokens and messages has to be given",
  });
const keepSize = z.union([
  z.strictObject({ fraction }),
  z.strictObject({ tokens: z.int().nonnegative() }),
  z.strictObject({ messages: z.int().nonnegative() }),
]);
const policySchema = z.strictObject({
  trigger: z.union([contextSize, z.array(contextSize)]).optional(),
  keep: keepSize.optional(),
});

/**
 * A context size, all of whose given fields must be reached. `fraction` is a share of the available room:
 * `maxInputTokens` minus `outputReserveTokens`.
 */
export type ContextSize = z.infer<typeof contextSize>;

/** When to fold and what to keep, in the terms of LangChain's `summarizationMiddleware`. */
export interface SummarizationPolicy {
  /** Folds when one of these sizes is reached. By default Threadfold's own trigger, 85 % of the room. */
  readonly trigger?: ContextSize | readonly ContextSize[];
  /** How much stays at the end, given in exactly one unit. 20 messages by default. */
  readonly keep?: z.infer<typeof keepSize>;
}

/** The amount that LangChain's own middleware keeps. */
const DEFAULT_KEEP = { messages: 20 };

/**
 * Creates a session policy with the options of LangChain's `summarizationMiddleware`: within one object all conditions
 * must be met, in a list one of them is enough. Tokens are those of the whole request by the session's counter,
 * messages those that the prompt shows. Above the room, and after an overflow, the session folds whatever the trigger
 * says.
 *
 * @throws ThreadfoldError `INVALID_CONFIG`, naming the option that is not valid.
 */
export function summarizationPolicy(policy: SummarizationPolicy = {}): CompactionPreset {
  const parsed = policySchema.safeParse(policy);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new ThreadfoldError("INVALID_CONFIG", `${issue?.path.join(".") || "policy"}: ${issue?.message}.`);
  }
  const { trigger, keep = DEFAULT_KEEP } = parsed.data;
  return {
    name: "langchain-summarization",
    description: "Summarizes all but the end of the thread, using the settings of LangChain's summarizationMiddleware.",
    ladder: [windowStrategy({ name: "keep-recent", cut: cutOf(keep), fold: "summarize" })],
    config: {
      policyVersion: "langchain-v1",
      // A given trigger is the only one until the model's limit is reached.
      ...(trigger !== undefined && { softThresholdPercent: 1 }),
      targetPercent: 0,
      preserveRecentTurns: 0,
      minReclaimPercent: 0,
    },
    trigger: (config) =>
      trigger === undefined
        ? threadfoldPreset.trigger(config)
        : anyOf(...[trigger].flat().map(reached), ...LAST_RESORT),
    figures: {},
    promptVersion: "threadfold-v2",
  };
}

function reached({ fraction: share, tokens, messages }: ContextSize): CompactionTrigger {
  return allOf(
    ...(share === undefined ? [] : [tokenFractionTrigger(share)]),
    ...(tokens === undefined ? [] : [tokenCountTrigger(tokens)]),
    ...(messages === undefined ? [] : [shownMessageCountTrigger(messages - 1)]),
  );
}

function cutOf(keep: NonNullable<SummarizationPolicy["keep"]>): CutPoint {
  if ("messages" in keep) return lastMessages(keep.messages);
  if ("tokens" in keep) return lastTokens(keep.tokens);
  return (context) => lastTokens(Math.floor(keep.fraction * roomTokens(context.config)))(context);
}
