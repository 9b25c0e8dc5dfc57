import {
  type CompactionOutcome,
  checkArgument,
  checkModelRows,
  checkOptions,
  checkTimeLimit,
  contextCompactionConfigSchema,
  hasMember,
  isObject,
  isPlainObject,
  type OptionKinds,
  parseCalibration,
  refuseArgument,
  type SummaryRole,
  type ThreadId,
  type ToolDefinition,
} from "@threadfold/core";
import { formatById } from "@threadfold/renderer";
import { providerCompaction } from "@threadfold/renderer/native";
import { presetByName } from "@threadfold/strategies";
import type { SummaryModelSettings } from "@threadfold/summarizers";
import type { CompactOptions, FrameFields, SummaryFailure } from "@threadfold/turn";
import type { BackgroundOptions } from "../queue/compaction-queue.ts";
import type { ModelTarget, OverBudget, PrepareOptions } from "./prepared-request.ts";
import type { Hook, SessionHooks } from "./session-hooks.ts";
import type { OpenOptions, SessionOptions } from "./session-options.ts";

/**
 * @throws ThreadfoldError `INVALID_CONFIG` for a frame that is no object, or with a text or a tool that is none.
 */
function checkFrame(frame: FrameFields | undefined): void {
  if (frame === undefined) return;
  const isList = (field: unknown): boolean => field === undefined || Array.isArray(field);
  if (!isObject(frame) || !isList(frame.system) || !isList(frame.tools))
    refuseArgument("frame", "system and tools have to be lists.", "Without tools, pass { system: [text] }.");
  checkOptions("frame", frame, { system: "any", tools: "any", host: "any" } satisfies OptionKinds<FrameFields>);
  if (frame.host !== undefined && !isObject(frame.host))
    refuseArgument(
      "frame.host",
      "it has to be an object.",
      "Pass what the request body contains in addition to the payload: { thinking, toolChoice }.",
    );
  const text = frame.system?.findIndex((entry) => typeof (Object(entry).text ?? entry) !== "string") ?? -1;
  if (text >= 0) refuseArgument(`frame.system[${text}]`, "it has to be a text.", "Pass [text], or [{ text }].");
  const tool = frame.tools?.findIndex((each) => !isTool(each)) ?? -1;
  if (tool >= 0) refuseArgument(`frame.tools[${tool}]`, "it has to be { name, description, inputSchema }.", TOOL_HINT);
}

const TOOL_HINT =
  "Give it a name. What a provider calls input_schema or parameters is inputSchema, a JSON Schema: z.toJSONSchema makes one.";

/** A schema of a library, such as zod's, is an instance of a class; the JSON Schema that it makes is not. */
const isTool = (tool: ToolDefinition | null): boolean =>
  typeof tool?.name === "string" && tool.name !== "" && isObject(tool.inputSchema) && isPlainObject(tool.inputSchema);

const COMPACT_OPTIONS: OptionKinds<CompactOptions> = {
  frame: "any",
  force: "flag",
  instructions: "text",
  trigger: "any",
  strategy: "any",
  signal: "signal",
};

/** @throws ThreadfoldError `INVALID_CONFIG` for options that `compact` does not have, or a frame without its lists. */
export function checkCompactOptions(options: CompactOptions): void {
  checkOptions("options", options, COMPACT_OPTIONS);
  checkFrame(options.frame);
  const { trigger, strategy } = options;
  if (trigger !== undefined && typeof trigger?.evaluate !== "function")
    refuseArgument("trigger", "it has to be a trigger.", "Pass one of the triggers, or { name, evaluate }.");
  if (strategy !== undefined && typeof strategy?.analyze !== "function")
    refuseArgument(
      "strategy",
      "it has to be a strategy.",
      "Pass one of the strategies, such as slidingWindow({ maxEvents: 20 }).",
    );
}

/** @throws ThreadfoldError `INVALID_CONFIG` for something other than `{ signal }`. */
export const checkAppendOptions = (options: { readonly signal?: AbortSignal }): void =>
  checkOptions("options", options, { signal: "signal" });

/** @throws ThreadfoldError `INVALID_CONFIG` when the outcome is no object, or what was rehydrated no list. */
export function checkRendering(outcome: CompactionOutcome | null, rehydrated: readonly unknown[]): void {
  if (outcome !== null) checkArgument("outcome", outcome, "object");
  checkArgument("rehydrated", rehydrated, "list");
}

const OVER_BUDGET: readonly OverBudget[] = ["barest", "throw", "send"];
const PREPARE_OPTIONS: OptionKinds<PrepareOptions> = { frame: "any", signal: "signal", onOverBudget: OVER_BUDGET };

/** @throws ThreadfoldError `INVALID_CONFIG` for options that `prepare` does not have, or invalid values. */
export function checkPrepareOptions(options: PrepareOptions): void {
  checkOptions("options", options, PREPARE_OPTIONS);
  checkFrame(options.frame);
}

/** @throws ThreadfoldError `INVALID_CONFIG` for a target that is not an object, or has another field. */
export const checkTarget = (target: ModelTarget): void =>
  checkOptions("target", target, { model: "text", maxInputTokens: "any" });

/** @throws ThreadfoldError `INVALID_CONFIG` for a new thread without an id. */
export function checkNewThread(threadId: ThreadId | undefined): void {
  if (typeof threadId !== "string" || threadId === "")
    refuseArgument(
      "threadId",
      "it has to be a text that is not empty.",
      "Give the new thread an id that no thread has yet.",
    );
}

const OPTIONS: OptionKinds<CheckedOptions> = {
  threadId: "any",
  store: "any",
  preset: "any",
  config: "object",
  tokenizer: "any",
  calibration: "any",
  declaredTools: "list",
  summaryModel: "any",
  summaryModelSettings: "any",
  summaryTimeLimitMs: "any",
  onSummaryFailure: ["fold", "keep"] satisfies SummaryFailure[],
  storeTimeLimitMs: "any",
  closeTimeLimitMs: "any",
  summaryCache: "any",
  summarizer: "any",
  summaryChecks: "any",
  redactSecrets: "flag",
  format: "any",
  frame: "any",
  summaryRole: ["assistant", "user", "pair"] satisfies SummaryRole[],
  model: "text",
  models: "any",
  cacheBreakpoints: "any",
  cachePolicy: "any",
  providerCompaction: "any",
  determinismProbe: "any",
  onOverBudget: OVER_BUDGET,
  compaction: "flag",
  background: "any",
  environment: "object",
  vectors: "any",
  hooks: "any",
  warnAfterCompactions: "figure",
  clock: "any",
  journal: "flag",
  tenantId: "any",
  securityContext: "object",
  onEvent: "call",
};
const configNames = () => Object.keys(contextCompactionConfigSchema.unwrap().shape);

const HOOKS: OptionKinds<SessionHooks> = {
  preCompact: "any",
  postCompact: "any",
  sessionStart: "any",
  boundary: "any",
  timeoutMilliseconds: "any",
};

const TIME_LIMITS = ["summaryTimeLimitMs", "storeTimeLimitMs", "closeTimeLimitMs"] as const;

/**
 * Checks the options at run time, for callers in JavaScript, and returns them with preset and format resolved by name.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` that names the invalid option.
 */
export function checkedOptions(given: OpenOptions): CheckedOptions {
  if (!isObject(given)) refuseArgument("options", "a session is opened with an object of options.");
  const options = withoutNames(given);
  checkOptions("options", options, OPTIONS, { place: "config", names: configNames });
  const { threadId, frame, hooks } = options;
  if (threadId !== undefined && (typeof threadId !== "string" || threadId === ""))
    refuseArgument(
      "threadId",
      "it has to be a text that is not empty.",
      "Name the conversation; the same name opens it again.",
    );
  for (const option of TIME_LIMITS) if (options[option] !== undefined) checkTimeLimit(option, options[option]);
  const { timeoutMilliseconds } = options.hooks ?? {};
  if (timeoutMilliseconds !== undefined) checkTimeLimit("hooks.timeoutMilliseconds", timeoutMilliseconds);
  checkModelSettings(options);
  const { timeLimitMs } = options.vectors ?? {};
  if (timeLimitMs !== undefined) checkTimeLimit("vectors.timeLimitMs", timeLimitMs);
  checkFrame(frame);
  if (options.models !== undefined) checkModelRows(options.models);
  if (options.calibration !== undefined) parseCalibration(options.calibration);
  checkCacheBreakpoints(options);
  checkCachePolicy(options);
  checkBackground(options);
  checkProviderCompaction(options);
  checkRequester(options);
  if (hooks !== undefined) {
    checkOptions("hooks", hooks, HOOKS);
    checkHooks(hooks);
  }
  return options;
}

/** Options whose preset and format, if given by name, have been resolved. */
export type CheckedOptions = Omit<OpenOptions, "preset" | "format"> & Pick<SessionOptions, "preset" | "format">;

function withoutNames({ preset, format, ...options }: OpenOptions): CheckedOptions {
  return {
    ...options,
    ...(preset !== undefined && { preset: typeof preset === "string" ? presetByName(preset) : preset }),
    ...(format !== undefined && { format: typeof format === "string" ? formatById(format) : format }),
  };
}

function checkCacheBreakpoints({ cacheBreakpoints: asked }: CheckedOptions): void {
  if (asked === undefined || typeof asked === "boolean") return;
  if (!isObject(asked)) refuseArgument("cacheBreakpoints", "it is no object.", 'Pass true or { ttl: "1h" }.');
  checkOptions("cacheBreakpoints", asked, { ttl: "any" });
  if (asked.ttl !== undefined && asked.ttl !== "5m" && asked.ttl !== "1h")
    refuseArgument("cacheBreakpoints.ttl", "there is no such time.", 'Pass "5m" or "1h", or omit it.');
}

const BACKGROUND: OptionKinds<BackgroundOptions> = {
  queue: "any",
  softThreshold: "any",
  enqueueTimeoutMilliseconds: "any",
};

function checkBackground({ background: asked }: CheckedOptions): void {
  if (asked === undefined || asked === false) return;
  if (!hasMember(asked, "queue"))
    refuseArgument("background", "it has no queue.", "Pass { queue } or false, or omit it.");
  checkOptions("background", asked, BACKGROUND);
  if (!hasMember(asked.queue, "enqueue"))
    refuseArgument("background.queue", "it has no enqueue.", "Pass a queue, such as pgBossQueue(options).");
}

function checkCachePolicy({ cachePolicy, cacheBreakpoints }: CheckedOptions): void {
  if (cachePolicy === undefined) return;
  if (cachePolicy !== "auto")
    refuseArgument("cachePolicy", 'it has to be "auto".', "For a fixed ttl, set cacheBreakpoints: { ttl }.");
  if (cacheBreakpoints !== undefined)
    refuseArgument("cachePolicy", "it contradicts cacheBreakpoints.", "Omit one: cachePolicy sets the marks itself.");
}

function checkProviderCompaction({ providerCompaction: asked, format, compaction }: CheckedOptions): void {
  if (asked === undefined) return;
  const { when, compactAt = 1 } = Object(asked) as { readonly when?: unknown; readonly compactAt?: unknown };
  if (when !== "threshold" && when !== "on-demand")
    refuseArgument("providerCompaction", "when has to be threshold or on-demand.", 'Pass { when: "threshold" }.');
  checkOptions("providerCompaction", asked, { when: "any", compactAt: "any" });
  if (!Number.isSafeInteger(compactAt) || Number(compactAt) < 1)
    refuseArgument("providerCompaction.compactAt", "it has to be a positive number of tokens.");
  if (format !== undefined && providerCompaction(format.id) === null)
    refuseArgument(
      "providerCompaction",
      `the provider of ${format.id} has no compaction of its own.`,
      "It is available for anthropic-messages and openai-responses.",
    );
  if (compaction === false)
    refuseArgument("providerCompaction", "it contradicts compaction: false.", "Omit one of them.");
}

function checkRequester({ securityContext: requester }: CheckedOptions): void {
  if (requester === undefined) return;
  const { requesterId, tenantId, permissions } = requester;
  checkArgument("securityContext.requesterId", requesterId, "text");
  if (tenantId !== null && typeof tenantId !== "string")
    refuseArgument("securityContext.tenantId", "it has to be a text, or null.", "Without tenants, pass null.");
  checkArgument("securityContext.permissions", permissions, "list");
}

const MODEL_SETTINGS: OptionKinds<SummaryModelSettings> = {
  maxOutputTokens: "any",
  temperature: "any",
  maxInputTokens: "any",
  maxMessageTokens: "any",
  contextWindow: "any",
};

function checkModelSettings({
  summaryModel,
  summaryModelSettings: settings,
}: Pick<SessionOptions, "summaryModel" | "summaryModelSettings">): void {
  if (settings === undefined) return;
  checkOptions("summaryModelSettings", settings, MODEL_SETTINGS);
  if (summaryModel === undefined)
    refuseArgument("summaryModelSettings", "there is no summaryModel that they apply to.", "Pass summaryModel, too.");
}

/** Checks hooks early: an invalid list would otherwise be noticed only at the first fold, and fail every fold. */
function checkHooks({ timeoutMilliseconds: _, ...hooks }: SessionHooks): void {
  for (const [name, given] of Object.entries<unknown>(hooks)) {
    const isList = given === undefined || (Array.isArray(given) && given.every(isHook));
    if (!isList) refuseArgument(`hooks.${name}`, "it has to be a list of hooks.", `Pass ${name}: [{ name, run }].`);
  }
}

const isHook = (value: unknown): value is Hook<never, unknown> =>
  hasMember(value, "run") && typeof (value as { readonly run: unknown }).run === "function";
