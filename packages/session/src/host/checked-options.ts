import {
  checkModelRows,
  checkTimeLimit,
  contextCompactionConfigSchema,
  isPlainObject,
  nearestName,
  parseCalibration,
  ThreadfoldError,
  type ThreadId,
  type ToolDefinition,
} from "@threadfold/core";
import { formatById } from "@threadfold/renderer";
import { providerCompaction } from "@threadfold/renderer/native";
import { presetByName } from "@threadfold/strategies";
import type { SummaryModelSettings } from "@threadfold/summarizers";
import type { CompactOptions, FrameFields } from "@threadfold/turn";
import type { BackgroundOptions } from "../queue/compaction-queue.ts";
import type { ModelTarget, OverBudget, PrepareOptions } from "./prepared-request.ts";
import type { Hook, SessionHooks } from "./session-hooks.ts";
import type { OpenOptions, SessionOptions } from "./session-options.ts";

/** Checks whether a value is an object with a member of that name. */
const has = (value: unknown, member: string): boolean => typeof value === "object" && value !== null && member in value;

/** Refuses an option or argument. @throws ThreadfoldError `INVALID_CONFIG` that names it, always. */
export function refuseArgument(name: string, problem: string, hint?: string): never {
  throw new ThreadfoldError("INVALID_CONFIG", `${name}: ${problem}`, {
    ...(hint !== undefined && { hint }),
    details: { name },
  });
}

/**
 * Checks that all options have known names: a misspelled one would otherwise be ignored silently.
 *
 * @param elsewhere names that are valid in another place, with that place, such as `config`.
 * @throws ThreadfoldError `INVALID_CONFIG` that names the unknown option and what was probably meant.
 */
function refuseUnknownOptions(
  options: object,
  known: readonly string[],
  elsewhere: { readonly place: string; readonly names: readonly string[] } = { place: "", names: [] },
): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const placed = elsewhere.names.map((name) => [`${elsewhere.place}.${name}`, name] as const);
  const exact = placed.find(([, name]) => name === unknown)?.[0];
  const near =
    nearestName(unknown, known) ?? placed.find(([, name]) => name === nearestName(unknown, elsewhere.names))?.[0];
  const meant = exact ?? near;
  refuseArgument(
    unknown,
    "there is no such option.",
    meant === undefined ? `Known options: ${known.join(", ")}.` : `Did you mean ${meant}?`,
  );
}

// Arguments of JavaScript callers are checked at the entry points: further inside, errors would surface far from their
// cause.

/**
 * @throws ThreadfoldError `INVALID_CONFIG` for a frame that is no object, or with a text or a tool that is none.
 */
function checkFrame(frame: FrameFields | undefined): void {
  if (frame === undefined) return;
  const isList = (field: unknown): boolean => field === undefined || Array.isArray(field);
  if (!isObject(frame) || !isList(frame.system) || !isList(frame.tools))
    refuseArgument("frame", "system and tools have to be lists.", "Without tools, pass { system: [text] }.");
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

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

const COMPACT_OPTIONS = [
  "frame",
  "force",
  "instructions",
  "trigger",
  "strategy",
  "signal",
] as const satisfies readonly (keyof CompactOptions)[];

/** @throws ThreadfoldError `INVALID_CONFIG` for options that `compact` does not have, or a frame without its lists. */
export function checkCompactOptions(options: CompactOptions): void {
  refuseUnknownOptions(options, COMPACT_OPTIONS);
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

/** @throws ThreadfoldError `INVALID_CONFIG` for options that `append` does not have. */
export const checkAppendOptions = (options: object): void => refuseUnknownOptions(options, ["signal"]);

const PREPARE_OPTIONS = ["frame", "signal", "onOverBudget"] as const satisfies readonly (keyof PrepareOptions)[];
const OVER_BUDGET: readonly OverBudget[] = ["barest", "throw", "send"];

/** @throws ThreadfoldError `INVALID_CONFIG` for options that `prepare` does not have, or invalid values. */
export function checkPrepareOptions(options: PrepareOptions): void {
  refuseUnknownOptions(options, PREPARE_OPTIONS);
  checkFrame(options.frame);
  checkOverBudget(options.onOverBudget);
}

/** @throws ThreadfoldError `INVALID_CONFIG` for an unknown value. */
function checkOverBudget(choice: OverBudget | undefined): void {
  if (choice === undefined || OVER_BUDGET.includes(choice)) return;
  refuseArgument("onOverBudget", `it has to be one of ${OVER_BUDGET.join(", ")}.`);
}

/** @throws ThreadfoldError `INVALID_CONFIG` for a target that is not an object. */
export function checkTarget(target: ModelTarget): void {
  if (typeof target !== "object" || target === null)
    refuseArgument("target", "it has to be an object.", "Pass { model, maxInputTokens }, or {} for the same model.");
}

/** @throws ThreadfoldError `INVALID_CONFIG` for a new thread without an id. */
export function checkNewThread(threadId: ThreadId | undefined): void {
  if (typeof threadId !== "string" || threadId === "")
    refuseArgument("threadId", "it has to be a string.", "Give the new thread an id that no thread has yet.");
}

/** Every option by name; the compiler ensures that none is missing. */
const OPTIONS: Readonly<Record<keyof SessionOptions, true>> = {
  threadId: true,
  store: true,
  preset: true,
  config: true,
  tokenizer: true,
  calibration: true,
  declaredTools: true,
  summaryModel: true,
  summaryModelSettings: true,
  summaryTimeLimitMs: true,
  onSummaryFailure: true,
  storeTimeLimitMs: true,
  closeTimeLimitMs: true,
  summaryCache: true,
  summarizer: true,
  summaryChecks: true,
  redactSecrets: true,
  format: true,
  frame: true,
  summaryRole: true,
  model: true,
  models: true,
  cacheBreakpoints: true,
  cachePolicy: true,
  providerCompaction: true,
  determinismProbe: true,
  onOverBudget: true,
  compaction: true,
  background: true,
  environment: true,
  vectors: true,
  hooks: true,
  warnAfterCompactions: true,
  clock: true,
  journal: true,
  tenantId: true,
  securityContext: true,
  onEvent: true,
};
const OPTION_NAMES = Object.keys(OPTIONS);
const configNames = () => Object.keys(contextCompactionConfigSchema.unwrap().shape);

/** The members of `SessionHooks`: lists of hooks, and figures. */
const HOOKS: Readonly<Record<keyof SessionHooks, "list" | "figure">> = {
  preCompact: "list",
  postCompact: "list",
  sessionStart: "list",
  boundary: "list",
  timeoutMilliseconds: "figure",
};

/** A member that an option's value must have, and a hint on where to get such a value. */
interface RequiredMember {
  readonly option: keyof SessionOptions;
  readonly member: string;
  readonly hint: string;
}

/** The members that sessions use first. */
const REQUIRED_MEMBERS: readonly RequiredMember[] = [
  { option: "store", member: "threads", hint: 'Pass a store, or the path of one, such as "threads.db".' },
  { option: "preset", member: "trigger", hint: 'Pass a preset or the name of one, such as "codex".' },
  { option: "format", member: "lower", hint: 'Pass a format or the name of one, such as "openai-chat".' },
  { option: "tokenizer", member: "countTokens", hint: "Pass a counter, such as heuristicTokenizer()." },
  { option: "summaryModel", member: "complete", hint: "Pass an object with an id and complete(request)." },
  { option: "vectors", member: "store", hint: "Pass an object with a store and embed(texts)." },
  { option: "vectors", member: "embed", hint: "Pass an object with a store and embed(texts)." },
  { option: "summarizer", member: "summarize", hint: "Pass an object with an id and summarize(request)." },
];

const TIME_LIMITS = ["summaryTimeLimitMs", "storeTimeLimitMs", "closeTimeLimitMs"] as const;

/**
 * Checks the options at run time, for callers in JavaScript, and returns them with preset and format resolved by name.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` that names the invalid option.
 */
export function checkedOptions(given: OpenOptions): CheckedOptions {
  if (typeof given !== "object" || given === null)
    refuseArgument("options", "a session is opened with an object of options.");
  const options = withoutNames(given);
  refuseUnknownOptions(options, OPTION_NAMES, { place: "config", names: configNames() });
  const { threadId, frame, hooks, onOverBudget } = options;
  if (threadId !== undefined && (typeof threadId !== "string" || threadId === ""))
    refuseArgument("threadId", "it has to be a string.", "Name the conversation; the same name opens it again.");
  for (const { option, member, hint } of REQUIRED_MEMBERS) {
    const given = options[option];
    if (option === "store" && typeof given === "string") continue;
    if (given !== undefined && !has(given, member)) refuseArgument(option, `it has no ${member}.`, hint);
  }
  for (const option of TIME_LIMITS) if (options[option] !== undefined) checkTimeLimit(option, options[option]);
  const { timeoutMilliseconds } = options.hooks ?? {};
  if (timeoutMilliseconds !== undefined) checkTimeLimit("hooks.timeoutMilliseconds", timeoutMilliseconds);
  checkModelSettings(options);
  const { timeLimitMs } = options.vectors ?? {};
  if (timeLimitMs !== undefined) checkTimeLimit("vectors.timeLimitMs", timeLimitMs);
  checkFrame(frame);
  if (options.models !== undefined) checkModelRows(options.models);
  if (options.calibration !== undefined) parseCalibration(options.calibration);
  checkOverBudget(onOverBudget);
  checkCacheBreakpoints(options);
  checkCachePolicy(options);
  checkBackground(options);
  checkProviderCompaction(options);
  if (hooks !== undefined) checkHooks(hooks);
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
  refuseUnknownOptions(asked, ["ttl"]);
  if (asked.ttl !== undefined && asked.ttl !== "5m" && asked.ttl !== "1h")
    refuseArgument("cacheBreakpoints.ttl", "there is no such time.", 'Pass "5m" or "1h", or omit it.');
}

const BACKGROUND = ["queue", "softThreshold", "enqueueTimeoutMilliseconds"] satisfies (keyof BackgroundOptions)[];

function checkBackground({ background: asked }: CheckedOptions): void {
  if (asked === undefined || asked === false) return;
  if (!has(asked, "queue")) refuseArgument("background", "it has no queue.", "Pass { queue } or false, or omit it.");
  refuseUnknownOptions(asked, BACKGROUND);
  if (!has(asked.queue, "enqueue"))
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

const MODEL_SETTINGS: Readonly<Record<keyof SummaryModelSettings, true>> = {
  maxOutputTokens: true,
  temperature: true,
  maxInputTokens: true,
  maxMessageTokens: true,
  contextWindow: true,
};

function checkModelSettings({
  summaryModel,
  summaryModelSettings: settings,
}: Pick<SessionOptions, "summaryModel" | "summaryModelSettings">): void {
  if (settings === undefined) return;
  if (typeof settings !== "object" || settings === null)
    refuseArgument("summaryModelSettings", "it has to be an object of settings.");
  refuseUnknownOptions(settings, Object.keys(MODEL_SETTINGS));
  if (summaryModel === undefined)
    refuseArgument("summaryModelSettings", "there is no summaryModel that they apply to.", "Pass summaryModel, too.");
}

/** Checks hooks early: an invalid list would otherwise be noticed only at the first fold, and fail every fold. */
function checkHooks(hooks: SessionHooks): void {
  if (typeof hooks !== "object" || hooks === null) refuseArgument("hooks", "it has to be an object of lists.");
  refuseUnknownOptions(hooks, Object.keys(HOOKS));
  for (const [name, kind] of Object.entries(HOOKS)) {
    const given: unknown = hooks[name as keyof SessionHooks];
    if (kind === "figure" || given === undefined) continue;
    const isList = Array.isArray(given) && given.every(isHook);
    if (!isList) refuseArgument(`hooks.${name}`, "it has to be a list of hooks.", `Pass ${name}: [{ name, run }].`);
  }
}

const isHook = (value: unknown): value is Hook<never, unknown> =>
  has(value, "run") && typeof (value as { readonly run: unknown }).run === "function";
