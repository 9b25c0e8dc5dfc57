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

/** A size of a context: all that is given has to be reached. `fraction` is a share of the room: `maxInputTokens` less `outputReserveTokens`. */
export type ContextSize = z.infer<typeof contextSize>;

/** When to fold and what to keep, in the words of LangChain's `summarizationMiddleware`. */
export interface SummarizationPolicy {
  /** Folds when one of the sizes is reached. Threadfold's own trigger, 85 % of the room, when it is left out. */
  readonly trigger?: ContextSize | readonly ContextSize[];
  /** What stays at the end, by exactly one measure. 20 messages by default. */
  readonly keep?: z.infer<typeof keepSize>;
}

/** What LangChain's own middleware keeps. */
const DEFAULT_KEEP = { messages: 20 };

/**
 * A policy for a session in the grammar of LangChain's `summarizationMiddleware`: within one object all conditions have to
 * hold, of a list one is enough. Tokens are those of the whole request by the session's counter, and messages those that
 * the prompt shows. Above the room, and after an overflow, the session folds whatever the trigger says.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` that names the option.
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
    description: "Summarizes all but the end of the thread, in the grammar of LangChain's summarizationMiddleware.",
    ladder: [windowStrategy({ name: "keep-recent", cut: cutOf(keep), fold: "summarize" })],
    config: {
      policyVersion: "langchain-v1",
      // A trigger of its own is the only one, up to what the model takes.
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
    promptVersion: "threadfold-v1",
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
