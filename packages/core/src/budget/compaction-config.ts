import { nearestName, ThreadfoldError } from "../errors/threadfold-error.ts";
import { freezeDeep } from "../json/json-value.ts";
import * as z from "../json/schema.ts";
import { toolDurabilitySchema } from "../model/part.ts";
import { promptCachePriceSchema } from "../providers/cache-prices.ts";
import { summaryWordingSchema } from "../summary/render-summary.ts";

/** How one tool's results are folded. */
export const toolDurabilityPolicySchema = z.strictObject({
  durability: toolDurabilitySchema,
  /**
   * Fields of a JSON result that every fold keeps, also where the JSON stands as text: names, or paths such as
   * `order.id`, `items.0.sku` and `items.*.sku`. A name that holds dots itself takes precedence over the path.
   */
  mustPreserveFields: z.array(z.string()).readonly().default([]),
  /** Results of more than this many tokens are externalized rather than cleared. */
  externalizeThresholdTokens: z.int().nonnegative().optional(),
  /**
   * What it costs to call the tool again. Results of an `expensive` one are never cleared: their bodies go into the artifact
   * store instead. Those of a `free` one, as far as they can be had again (`ephemeral`, `replayable`), are never put there
   * for their size.
   */
  replayCost: z.enum(["free", "cheap", "expensive"]).default("cheap"),
});
export type ToolDurabilityPolicy = z.infer<typeof toolDurabilityPolicySchema>;

const tokens = z.int().nonnegative();
const share = z.number().gt(0).lte(1);

/** The role of the message that stands for a folded span. `pair` is a user message and an assistant message that answers it. */
export const summaryRoleSchema = z.enum(["assistant", "user", "pair"]);
export type SummaryRole = z.infer<typeof summaryRoleSchema>;

const roomOf = (config: { readonly maxInputTokens: number; readonly outputReserveTokens: number }): number =>
  config.maxInputTokens - config.outputReserveTokens;

/** Every knob of context compaction with its default. Token figures are the provider's tokens, as far as its reports say how it counts. */
export const contextCompactionConfigSchema = z
  .strictObject({
    /** The cap. Its room, which shares are shares of, is the cap less `outputReserveTokens`. */
    maxInputTokens: z.int().positive().default(100_000),
    /**
     * Folding starts above this share of the room, from 0 to 1 like every `…Percent`: 0.85 is 85 %. It starts earlier where
     * the trigger of a preset fires earlier, or where less is left than the reserves below.
     */
    softThresholdPercent: share.default(0.85),
    /**
     * Folding goes down to this share (0 to 1) of the room, so that the next fold is far away. 0 sets no target: each fold
     * does all that its ladder proposes, however little is needed.
     */
    targetPercent: z.number().gte(0).lte(1).default(0.5),
    /**
     * Where the thread grows so fast that the next fold would come before this many model calls, a fold goes deeper: down to
     * half of the target at the most. 0 leaves the target as it is.
     */
    minCallsPerFold: z.int().nonnegative().default(0),
    /** A fold that would free less than this share (0 to 1) of the room is not worth a new prefix. */
    minReclaimPercent: z.number().gte(0).lt(1).default(0.1),
    /** Kept free of the cap for the answer, where the provider counts both in one window. 0 where the cap is on input alone. */
    outputReserveTokens: tokens.default(0),
    /**
     * Kept free of the room whatever is in a request, because a count is an estimate. 500 by default, and of a small cap a
     * two-hundredth at the most; while the provider has reported nothing, what the counter may miss, if that is more.
     */
    safetyBufferTokens: tokens.optional(),

    /** Weighs what a soft fold saves against what it costs in the prompt cache, and postpones one that does not pay yet. */
    costModelEnabled: z.boolean().default(false),
    /** Id of a price row, or a custom row; the row of the request format when it is left out. */
    promptCachePrice: z.union([z.string().min(1), promptCachePriceSchema]).optional(),
    /** How many more calls a session is expected to make on top of as many again as it has made. */
    expectedCallsPrior: z.int().nonnegative().default(20),
    /** A soft fold is postponed for at most this many calls under one plan, whatever the cost model says. */
    maxPostponedCalls: z.int().nonnegative().default(20),
    /** After this many soft folds in a row without effect, none is tried for some calls, for twice as many each time. */
    breakerFailures: z.int().positive().default(3),

    enableExternalization: z.boolean().default(true),
    enableSummarization: z.boolean().default(true),
    enableClearing: z.boolean().default(true),
    enableRetrieval: z.boolean().default(false),
    enableDropping: z.boolean().default(true),

    externalizeThresholdTokens: tokens.default(1_000),
    /** After this many seconds what a fold put into the artifact store may no longer be read; null for never. */
    artifactTtlSeconds: z.int().positive().nullable().default(null),
    /**
     * A summary aims at this share of the tokens that it stands for, on top of what the summaries took that go into it, and
     * takes twice the share at the most; 200 tokens in any case, as far as `summaryMaxTokens` and `summaryMaxPercent` allow it.
     */
    summarizeTargetRatio: share.default(0.25),
    /** No summary is longer than this. */
    summaryMaxTokens: z.int().positive().default(6_000),
    /** Nor does it take more than this share of the room. */
    summaryMaxPercent: share.default(0.2),
    /** Turns at the end that are folded last. */
    preserveRecentTurns: z.int().nonnegative().default(3),
    /** At most this share (0 to 1) of the target is kept for the recent turns; an autonomous run may be one endless turn. */
    preserveRecentPercent: share.default(0.6),
    /** The session option of this name takes precedence. */
    summaryRole: summaryRoleSchema.default("assistant"),
    /** The words around a summary; nothing but its own frame when left out. */
    summaryWording: summaryWordingSchema.optional(),

    rehydrationEnabled: z.boolean().default(true),
    /**
     * Kept free by folding, on top of the safety buffer, for content that is brought back: folding starts at the latest
     * where no more than both is left of the room. 2 000 by default, and of a small cap a fiftieth at the most.
     */
    rehydrationReserveTokens: tokens.optional(),
    rehydrationMaxArtifactsPerTurn: z.int().nonnegative().default(3),
    rehydrationMaxTokensPerArtifact: tokens.default(4_000),
    rehydrationTotalBudgetTokens: tokens.default(8_000),
    rehydrationCooldownTurns: z.int().nonnegative().default(2),
    autoRehydrateSensitivities: z
      .array(z.enum(["public", "internal", "confidential", "restricted"]))
      .readonly()
      .default(["public", "internal"]),

    detectPins: z.boolean().default(true),
    /**
     * Pins that were detected in what users said together take at most this many tokens, and never more than a
     * sixteenth of `maxInputTokens`. Beyond it newer rules and those of higher authority stay; the event
     * `detected_pins_left_out` and a warning of `prepare` report the others. Explicit pins and rules in system messages
     * are not limited.
     */
    detectedPinMaxTokens: tokens.default(1_000),

    defaultToolDurability: toolDurabilitySchema.default("anchoring"),
    toolDurabilityOverrides: z.record(z.string(), toolDurabilityPolicySchema).default({}),
    /** Names the policy in plans, journals and cache keys. Change it when a policy changes in meaning. */
    policyVersion: z.string().min(1).default("threadfold-v1"),
  })
  .refine((config) => config.targetPercent <= config.softThresholdPercent, {
    path: ["targetPercent"],
    error: "the target must not be above the soft threshold",
  })
  .refine((config) => config.outputReserveTokens < config.maxInputTokens, {
    path: ["outputReserveTokens"],
    error: "the output reserve must be smaller than maxInputTokens",
  })
  .refine((config) => (config.safetyBufferTokens ?? 0) < roomOf(config), {
    path: ["safetyBufferTokens"],
    error: "the safety buffer must be smaller than maxInputTokens less the output reserve",
  })
  .refine(
    ({ rehydrationReserveTokens = 0, safetyBufferTokens = 0, ...config }) =>
      rehydrationReserveTokens < roomOf(config) - safetyBufferTokens,
    {
      path: ["rehydrationReserveTokens"],
      error: "the rehydration reserve must be smaller than maxInputTokens less the other reserves",
    },
  );
export type ContextCompactionConfig = z.infer<typeof contextCompactionConfigSchema>;

/**
 * A configuration with defaults for what is left out.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` that names the option and what it accepts (S11).
 */
export function compactionConfig(options: z.input<typeof contextCompactionConfigSchema> = {}): ContextCompactionConfig {
  const parsed = contextCompactionConfigSchema.safeParse(options);
  if (parsed.success) return freezeDeep(parsed.data);
  const issue = parsed.error.issues[0];
  if (issue?.code === "unrecognized_keys" && issue.path.length === 0) throw unknownOption(issue.keys[0] as string);
  const name = issue?.path.join(".") || "configuration";
  throw new ThreadfoldError("INVALID_CONFIG", `${name}: ${issue?.message}.`, { details: { name } });
}

function unknownOption(name: string): ThreadfoldError {
  const meant = nearestName(name, Object.keys(contextCompactionConfigSchema.shape));
  return new ThreadfoldError("INVALID_CONFIG", `${name}: there is no such option.`, {
    details: { name },
    ...(meant !== undefined && { hint: `Did you mean ${meant}?` }),
  });
}
