import { checkTimeLimit, contextCompactionConfigSchema } from "@threadfold/core";
import type { SummaryModelSettings } from "@threadfold/summarizers";
import { checkFrame, checkOverBudget } from "./checked-arguments.ts";
import type { Hook, SessionHooks } from "./hooks/session-hooks.ts";
import { has, refuseArgument, refuseUnknownOptions } from "./refuse-argument.ts";
import type { SessionOptions } from "./session-options.ts";

/** Every option by name; the compiler sees to it that none is left out. */
const OPTIONS: Readonly<Record<keyof SessionOptions, true>> = {
  threadId: true,
  store: true,
  preset: true,
  config: true,
  tokenizer: true,
  calibration: true,
  summaryModel: true,
  summaryModelSettings: true,
  summaryTimeLimitMs: true,
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
  cacheBreakpoints: true,
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
const CONFIG_NAMES = { place: "config", names: Object.keys(contextCompactionConfigSchema.shape) };

/** The lists of hooks, and what else stands beside them. */
const HOOKS: Readonly<Record<keyof SessionHooks, "list" | "figure">> = {
  preCompact: "list",
  postCompact: "list",
  sessionStart: "list",
  boundary: "list",
  timeoutMilliseconds: "figure",
};

/** A member that the value of an option has, and where such a value comes from. */
interface Duty {
  readonly option: keyof SessionOptions;
  readonly member: string;
  readonly hint: string;
}

/** What sessions call first of what they are given. Names in place of the things themselves are the usual mistake. */
const DUTIES: readonly Duty[] = [
  { option: "store", member: "threads", hint: 'Hand in a store, such as await openStore("threads.db").' },
  { option: "preset", member: "trigger", hint: 'Hand in a preset, such as presetByName("codex").' },
  { option: "format", member: "lower", hint: 'Hand in a format, such as formatById("openai-chat").' },
  { option: "tokenizer", member: "countTokens", hint: "Hand in a counter, such as heuristicTokenizer()." },
  { option: "summaryModel", member: "complete", hint: "Hand in an object with an id and complete(request)." },
  { option: "vectors", member: "store", hint: "Hand in an object with a store and embed(texts)." },
  { option: "vectors", member: "embed", hint: "Hand in an object with a store and embed(texts)." },
  { option: "summarizer", member: "summarize", hint: "Hand in an object with an id and summarize(request)." },
];

const TIME_LIMITS = ["summaryTimeLimitMs", "storeTimeLimitMs", "closeTimeLimitMs"] as const;

/**
 * Gives the options back when they are what their type says, as far as the types of a caller in JavaScript are unknown.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` that names the option.
 */
export function checkedOptions(options: SessionOptions): SessionOptions {
  if (typeof options !== "object" || options === null)
    refuseArgument("options", "a session is opened with an object of them.");
  refuseUnknownOptions(options, OPTION_NAMES, CONFIG_NAMES);
  const { threadId, frame, hooks, onOverBudget } = options;
  if (typeof threadId !== "string" || threadId === "")
    refuseArgument("threadId", "it has to be a text.", "Name the conversation; the same name opens it again.");
  for (const { option, member, hint } of DUTIES) {
    const given = options[option];
    if (given !== undefined && !has(given, member)) refuseArgument(option, `it has no ${member}.`, hint);
  }
  for (const option of TIME_LIMITS) if (options[option] !== undefined) checkTimeLimit(option, options[option]);
  const { timeoutMilliseconds } = options.hooks ?? {};
  if (timeoutMilliseconds !== undefined) checkTimeLimit("hooks.timeoutMilliseconds", timeoutMilliseconds);
  checkModelSettings(options);
  const { timeLimitMs } = options.vectors ?? {};
  if (timeLimitMs !== undefined) checkTimeLimit("vectors.timeLimitMs", timeLimitMs);
  checkFrame(frame);
  checkOverBudget(onOverBudget);
  if (hooks !== undefined) checkHooks(hooks);
  return options;
}

const MODEL_SETTINGS: Readonly<Record<keyof SummaryModelSettings, true>> = {
  maxOutputTokens: true,
  temperature: true,
  maxInputTokens: true,
  maxMessageTokens: true,
  contextWindow: true,
};

function checkModelSettings({ summaryModel, summaryModelSettings: settings }: SessionOptions): void {
  if (settings === undefined) return;
  if (typeof settings !== "object" || settings === null)
    refuseArgument("summaryModelSettings", "it has to be an object of settings.");
  refuseUnknownOptions(settings, Object.keys(MODEL_SETTINGS));
  if (summaryModel === undefined)
    refuseArgument("summaryModelSettings", "there is no summaryModel that they are for.", "Hand in summaryModel, too.");
}

/** A hook that is no list of hooks would be found out at the first fold, and would end every one of them. */
function checkHooks(hooks: SessionHooks): void {
  if (typeof hooks !== "object" || hooks === null) refuseArgument("hooks", "it has to be an object of lists.");
  refuseUnknownOptions(hooks, Object.keys(HOOKS));
  for (const [name, kind] of Object.entries(HOOKS)) {
    const given: unknown = hooks[name as keyof SessionHooks];
    if (kind === "figure" || given === undefined) continue;
    const isList = Array.isArray(given) && given.every(isHook);
    if (!isList) refuseArgument(`hooks.${name}`, "it has to be a list of hooks.", `Hand in ${name}: [{ name, run }].`);
  }
}

const isHook = (value: unknown): value is Hook<never, unknown> =>
  has(value, "run") && typeof (value as { readonly run: unknown }).run === "function";
