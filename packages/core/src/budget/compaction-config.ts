import { nearestName, ThreadfoldError } from "../errors/threadfold-error.ts";
import { freezeDeep } from "../json/json-value.ts";
import * as z from "../json/schema.ts";
import { toolDurabilitySchema } from "../model/part.ts";
import { promptCachePriceSchema } from "../providers/cache-prices.ts";
import { summaryWordingSchema } from "../summary/render-summary.ts";

/** How one tool's results are folded. */
export const toolDurabilityPolicySchema = z.lazy(() =>
  z.strictObject({
    durability: toolDurabilitySchema,
    /**
     * Fields of a JSON result that every fold keeps, including when the result is JSON as text: names, or paths such as
     * `order.id`, `items.0.sku` and `items.*.sku`. A field whose own name contains the dots takes precedence over a
     * path.
     */
    mustPreserveFields: z.array(z.string()).readonly().default([]),
    /** Results of more than this many tokens are externalized rather than cleared. */
    externalizeThresholdTokens: z.int().nonnegative().optional(),
    /**
     * The cost of calling the tool again. Results of an `expensive` tool are never cleared: their bodies go into the
     * artifact store instead. Results of a `free` tool that can be obtained again (`ephemeral`, `replayable`) are never
     * stored there merely because of their size.
     */
    replayCost: z.enum(["free", "cheap", "expensive"]).default("cheap"),
  }),
);
export type ToolDurabilityPolicy = z.infer<typeof toolDurabilityPolicySchema>;

const tokens = z.int().nonnegative();
const share = z.number().gt(0).lte(1);

/** The role of the message that replaces a folded span. `pair` is a user message and an assistant message in reply. */
export const summaryRoleSchema = z.enum(["assistant", "user", "pair"]);
export type SummaryRole = z.infer<typeof summaryRoleSchema>;

const roomOf = (config: { readonly maxInputTokens: number; readonly outputReserveTokens: number }): number =>
  config.maxInputTokens - config.outputReserveTokens;

const optionsSchema = () =>
  z.strictObject({
    /** The cap on a request. The cap less `outputReserveTokens` is the *room*, which the shares below refer to. */
    maxInputTokens: z.int().positive().default(100_000),
    /**
     * Folding starts above this share of the room, from 0 to 1 like every `…Percent`: 0.85 is 85 %. It starts earlier
     * when the trigger of a preset fires earlier, or when less room is left than the reserves below.
     */
    softThresholdPercent: share.default(0.85),
    /**
     * A fold brings the request down to this share (0 to 1) of the room, so that the next fold is far off. 0 sets no
     * target: each fold does everything that its ladder proposes, however little is needed.
     */
    targetPercent: z.number().gte(0).lte(1).default(0.5),
    /**
     * When the thread grows so fast that the next fold would be due within fewer model calls than this, a fold goes
     * deeper: down to half the target at most. 0 leaves the target unchanged.
     */
    minCallsPerFold: z.int().nonnegative().default(0),
    /** A fold that would free less than this share (0 to 1) of the room is not worth a new prefix. */
    minReclaimPercent: z.number().gte(0).lt(1).default(0.1),
    /** Kept free of the cap for the answer, if both share the provider's window. 0 if the cap is on input alone. */
    outputReserveTokens: tokens.default(0),
    /**
     * Always kept free of the room, because a count is an estimate. By default 500, or a two-hundredth of the cap if
     * that is less; until the provider has reported usage, the counter's possible error if that is more.
     */
    safetyBufferTokens: tokens.optional(),

    /** Weighs the savings of a soft fold against its cost in the prompt cache, and postpones it until it pays off. */
    costModelEnabled: z.boolean().default(false),
    /** Id of a price row, or a custom row; the row of the request format by default. */
    promptCachePrice: z.union([z.string().min(1), promptCachePriceSchema]).optional(),
    /** A session is expected to make as many more calls as it has made already, plus this many. */
    expectedCallsPrior: z.int().nonnegative().default(20),
    /** The most calls under one plan for which a soft fold is postponed, whatever the cost model says. */
    maxPostponedCalls: z.int().nonnegative().default(20),
    /** After this many soft folds in a row without effect, none is tried for some calls, twice as many each time. */
    breakerFailures: z.int().positive().default(3),

    enableExternalization: z.boolean().default(true),
    enableSummarization: z.boolean().default(true),
    enableClearing: z.boolean().default(true),
    enableRetrieval: z.boolean().default(false),
    enableDropping: z.boolean().default(true),

    externalizeThresholdTokens: tokens.default(1_000),
    /** Seconds after which content that a fold put into the artifact store can no longer be read; null for no limit. */
    artifactTtlSeconds: z.int().positive().nullable().default(null),
    /**
     * The target size of a summary as a share of the tokens it replaces, in addition to the tokens of earlier summaries
     * merged into it. A summary may take twice the share, and always 200 tokens, within `summaryMaxTokens` and
     * `summaryMaxPercent`.
     */
    summarizeTargetRatio: share.default(0.25),
    /** The most tokens of a summary. */
    summaryMaxTokens: z.int().positive().default(6_000),
    /** The largest share (0 to 1) of the room that a summary may take. */
    summaryMaxPercent: share.default(0.2),
    /** The number of most recent turns that are folded last. */
    preserveRecentTurns: z.int().nonnegative().default(3),
    /**
     * The largest share (0 to 1) of what the target leaves for messages that recent turns keep; an autonomous run may
     * be one endless turn.
     */
    preserveRecentPercent: share.default(0.6),
    /** The role of a summary message. The session option of this name takes precedence. */
    summaryRole: summaryRoleSchema.default("assistant"),
    /** The words around a summary; just its own frame by default. */
    summaryWording: summaryWordingSchema.optional(),

    rehydrationEnabled: z.boolean().default(true),
    /**
     * Kept free by folding, in addition to the safety buffer, for content that is brought back: folding starts no later
     * than when only these two reserves are left. By default 2,000, or a fiftieth of the cap if that is less.
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
     * The most tokens that all pins detected in user messages may take together, and never more than a sixteenth of
     * `maxInputTokens`. When they exceed it, newer rules and those of higher authority stay; the event
     * `detected_pins_left_out` and a warning of `prepare` report the others. Explicit pins and rules in system messages
     * are not limited.
     */
    detectedPinMaxTokens: tokens.default(1_000),

    defaultToolDurability: toolDurabilitySchema.default("anchoring"),
    toolDurabilityOverrides: z.record(z.string(), toolDurabilityPolicySchema).default({}),
    /** Names the policy in plans, journals and cache keys. Change it when the meaning of the policy changes. */
    policyVersion: z.string().min(1).default("threadfold-v1"),
  });

/** Every option of context compaction with its default. Figures are provider tokens, estimated from usage reports. */
export const contextCompactionConfigSchema = z.lazy(() =>
  optionsSchema()
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
    ),
);
export type ContextCompactionConfig = z.infer<typeof contextCompactionConfigSchema>;

/**
 * Returns a configuration with defaults for omitted options.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` naming the option and what it accepts (S11), when an option is unknown or
 * its value is not accepted.
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
  const meant = nearestName(name, Object.keys(contextCompactionConfigSchema.unwrap().shape));
  return new ThreadfoldError("INVALID_CONFIG", `${name}: there is no such option.`, {
    details: { name },
    ...(meant !== undefined && { hint: `Did you mean ${meant}?` }),
  });
}
