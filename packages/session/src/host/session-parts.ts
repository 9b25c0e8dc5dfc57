import {
  asThreadId,
  type Calibration,
  type Clock,
  type ContextCompactionConfig,
  checkArgument,
  checkCalls,
  checkEach,
  compactionConfig,
  type DurabilityOf,
  type Embed,
  modelRow,
  type ProviderAwareTokenizer,
  refuseArgument,
  suggestedCap,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
  withinLimit,
} from "@threadfold/core";
import type { VectorSearch } from "@threadfold/rehydration";
import { createMemoryStore, openStore } from "@threadfold/stores";
import {
  type CompactionPreset,
  declaredOverrides,
  declaredProbe,
  durabilityPolicy,
  threadfoldPreset,
} from "@threadfold/strategies";
import { characterClassTokenizer } from "@threadfold/tokenizers";
import { type CheckedOptions, checkedOptions, checkNewThread } from "./checked-options.ts";
import type { OpenOptions, SessionOptions } from "./session-options.ts";

/** The system clock. */
export const systemClock: Clock = Object.freeze({ now: () => Date.now() });

/** Default time limit for one call to the store, in milliseconds. */
const STORE_TIME_LIMIT_MS = 120_000;

/** The parts that a session is assembled from, with defaults filled in. */
export interface SessionParts {
  /** The store as it was passed in. */
  readonly givenStore: ThreadfoldStore;
  /** The same store with a time limit on each call. */
  readonly store: ThreadfoldStore;
  readonly preset: CompactionPreset;
  readonly config: ContextCompactionConfig;
  readonly tokenizer: ProviderAwareTokenizer;
  readonly durabilityOf: DurabilityOf;
}

/**
 * Opens a store that was given as a path, and generates a thread id if none was given.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for invalid options, before anything is opened; what opening the store
 * throws.
 */
export async function openedOptions(given: OpenOptions): Promise<SessionOptions> {
  const checked = checkedOptions(given);
  checkParts(checked);
  const { threadId = globalThis.crypto.randomUUID(), store, clock, vectors, ...options } = checked;
  const opened = typeof store === "string" ? await openStore(store) : store;
  return {
    ...withDeclared(options),
    threadId: asThreadId(threadId),
    ...(clock !== undefined && { clock: checkedClock(clock) }),
    ...(vectors !== undefined && { vectors: { ...vectors, embed: checkedEmbed(vectors) } }),
    ...(opened !== undefined && { store: opened }),
  };
}

/** What sessions call on a part of the host's own, and where to get such a part. */
interface RequiredPart {
  /** The option, or a member of it. */
  readonly path: string;
  /** Left out are methods that a part may be without. */
  readonly calls: readonly string[];
  readonly hint: string;
}

const STORE_HINT = 'Pass a store, or the path of one, such as "threads.db".';
const VECTORS_HINT = "Pass an object with a store and embed(texts).";

const REQUIRED_PARTS: readonly RequiredPart[] = [
  { path: "store.threads", calls: ["append", "load", "list"], hint: STORE_HINT },
  { path: "store.plans", calls: ["getCurrentPlan", "getPlan", "listPlans", "commitPlan"], hint: STORE_HINT },
  { path: "store.artifacts", calls: ["store", "getMetadata", "retrieve", "list"], hint: STORE_HINT },
  { path: "store.journal", calls: ["append", "read"], hint: STORE_HINT },
  { path: "store", calls: ["close"], hint: STORE_HINT },
  { path: "preset", calls: ["trigger"], hint: 'Pass a preset or the name of one, such as "codex".' },
  { path: "format", calls: ["lower"], hint: 'Pass a format or the name of one, such as "openai-chat".' },
  {
    path: "tokenizer",
    calls: ["countTokens", "countPart", "messageOverhead", "countMessage", "countToolSchemas", "countRequest"],
    hint: "Pass a counter, such as heuristicTokenizer().",
  },
  { path: "clock", calls: ["now"], hint: "Pass { now: () => Date.now() }, or omit it." },
  { path: "summaryModel", calls: ["complete"], hint: "Pass an object with an id and complete(request)." },
  { path: "summarizer", calls: ["summarize"], hint: "Pass an object with an id and summarize(request)." },
  { path: "summaryCache", calls: ["get", "set"], hint: "Pass a cache of summaries, or omit it." },
  { path: "determinismProbe", calls: ["probe"], hint: "Pass an object with probe(…), or omit it." },
  { path: "vectors.store", calls: ["search"], hint: VECTORS_HINT },
  { path: "vectors", calls: ["embed"], hint: VECTORS_HINT },
];

/**
 * Checks the methods of the host's own parts: one that is missing would otherwise be noticed only at the first fold.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` that names the method.
 */
function checkParts(options: CheckedOptions): void {
  for (const { path, calls, hint } of REQUIRED_PARTS) {
    const [option = "", ...members] = path.split(".");
    const given = memberOf(options, option);
    if (given === undefined || (option === "store" && typeof given === "string")) continue;
    checkCalls(path, members.reduce(memberOf, given), calls, hint);
  }
  const { preset, summaryChecks } = options;
  if (preset !== undefined) checkLadder(preset.ladder);
  if (summaryChecks !== undefined) checkEach("summaryChecks", summaryChecks, ["problem"]);
}

function checkLadder(ladder: CompactionPreset["ladder"]): void {
  checkArgument("preset.ladder", ladder, "list");
  for (const [index, strategy] of ladder.entries()) {
    const path = `preset.ladder[${index}]`;
    checkCalls(path, strategy, ["analyze", ...(strategy?.execute === undefined ? [] : ["execute"])]);
    if (typeof strategy.name !== "string" || strategy.name === "")
      refuseArgument(`${path}.name`, "it has to be a string.", "Errors, plans and events name the strategy by it.");
  }
}

const memberOf = (part: unknown, name: string): unknown => Reflect.get(Object(part), name, part);

/** The furthest that a `Date` can be from 1970, in milliseconds. */
const LAST_DATE = 8.64e15;

/**
 * Wraps the host's clock and checks each time: an invalid one would cause a `RangeError` wherever a date is made of it.
 */
const checkedClock = (clock: Clock): Clock => ({
  now() {
    const now: unknown = clock.now();
    if (typeof now === "number" && Math.abs(now) <= LAST_DATE) return now;
    throw new ThreadfoldError("INVALID_CONFIG", `clock.now() returned ${String(now)}, which is not a time.`, {
      details: { name: "clock" },
      hint: "Return milliseconds since 1970, as Date.now() does.",
    });
  },
});

/** Wraps the host's embedder and checks each time: without a vector nothing is found, and nobody learns why. */
const checkedEmbed =
  (vectors: VectorSearch): Embed =>
  async (texts) => {
    const found: unknown = await vectors.embed(texts);
    const problem = embeddingProblem(found, texts.length);
    if (problem === null) return found as Awaited<ReturnType<Embed>>;
    throw new ThreadfoldError("INVALID_CONFIG", `vectors.embed returned ${problem}.`, {
      details: { name: "vectors.embed" },
      hint: "Return one vector of finite numbers for each text, all of the same length.",
    });
  };

/** Returns what an embedder returned instead of a vector for each text; null when it did return them. */
function embeddingProblem(found: unknown, texts: number): string | null {
  if (!Array.isArray(found)) return `${typeof found}, no list of vectors`;
  if (found.length < texts) return `${found.length} vectors for ${texts} texts`;
  for (const vector of found) {
    if (!Array.isArray(vector) && !ArrayBuffer.isView(vector)) return `${typeof vector} for a vector`;
    const numbers: readonly unknown[] = Array.from(vector as ArrayLike<unknown>);
    if (numbers.length === 0) return "an empty vector";
    const wrong = numbers.findIndex((number) => !Number.isFinite(number));
    if (wrong !== -1) return `a vector with ${String(numbers[wrong])} in it, which is no finite number`;
  }
  return null;
}

/** Adds what tools declared to the options, unless the host's own settings say otherwise. */
function withDeclared<Options extends Omit<CheckedOptions, "threadId" | "store">>(options: Options): Options {
  const { declaredTools = [], config, determinismProbe } = options;
  if (declaredTools.length === 0) return options;
  const toolDurabilityOverrides = { ...declaredOverrides(declaredTools), ...config?.toolDurabilityOverrides };
  return {
    ...options,
    config: { ...config, toolDurabilityOverrides },
    determinismProbe: declaredProbe(declaredTools, determinismProbe),
  };
}

/** The current state of an open session, for opening another one like it. */
export interface OpenSessionState {
  readonly threadId: ThreadId;
  readonly store: ThreadfoldStore;
  readonly config: ContextCompactionConfig;
  readonly model: string | undefined;
  readonly calibration: Calibration;
}

/**
 * Returns options for a session on another thread: those of an open one, with its current cap, model and calibration.
 */
export function otherOptions(
  { config, ...options }: SessionOptions,
  { threadId, store, config: { maxInputTokens }, model, calibration }: OpenSessionState,
): SessionOptions {
  checkNewThread(threadId);
  return {
    ...options,
    threadId,
    store,
    config: { ...config, maxInputTokens },
    ...(model !== undefined && { model }),
    calibration,
  };
}

/** Fills in what the options leave out. @throws ThreadfoldError `INVALID_CONFIG`. */
export function sessionParts(options: SessionOptions): SessionParts {
  const preset = options.preset ?? threadfoldPreset;
  const config = compactionConfig({ ...preset.config, ...modelCap(options, preset), ...options.config });
  const givenStore = options.store ?? createMemoryStore();
  return {
    givenStore,
    store: limitedStore(givenStore, options.storeTimeLimitMs ?? STORE_TIME_LIMIT_MS),
    preset,
    config,
    tokenizer: options.tokenizer ?? characterClassTokenizer(),
    durabilityOf: durabilityPolicy(config),
  };
}

/** The model's suggested cap, if there is a row for it and the preset has no cap that fits its window. */
function modelCap({ model, models }: Pick<SessionOptions, "model" | "models">, { config }: CompactionPreset) {
  const row = model === undefined ? undefined : modelRow(model, models);
  const { maxInputTokens = Number.POSITIVE_INFINITY } = config;
  return row === undefined || maxInputTokens <= row.windowTokens ? {} : { maxInputTokens: suggestedCap(row) };
}

type StorePart = Exclude<keyof ThreadfoldStore, "close">;

/** The methods of each part of a store. */
const STORE_CALLS: { readonly [Name in StorePart]: readonly (keyof NonNullable<ThreadfoldStore[Name]>)[] } = {
  threads: ["append", "load", "list"],
  plans: ["getCurrentPlan", "getCurrentVersion", "getPlan", "listPlans", "commitPlan"],
  artifacts: ["store", "getMetadata", "retrieve", "list"],
  journal: ["append", "read"],
  ranges: ["resume", "loadRange", "findMessages"],
  recall: ["index", "search", "remove"],
};

/**
 * Wraps a store so that no call is waited for longer than a limit. Whether an abandoned call took effect is unknown;
 * every call may be repeated, just as after a lost response.
 */
function limitedStore(store: ThreadfoldStore, milliseconds: number): ThreadfoldStore {
  const parts: PropertyDescriptorMap = {};
  for (const [name, calls] of Object.entries(STORE_CALLS)) {
    const part = store[name as StorePart];
    if (part !== undefined) parts[name] = { value: limitedPart(name, part, calls, milliseconds), enumerable: true };
  }
  // Any other members, such as an eraser, are kept.
  return Object.create(store, parts);
}

function limitedPart(name: string, part: object, calls: readonly string[], milliseconds: number): object {
  const limited: Record<string, unknown> = {};
  for (const call of calls) {
    const work: unknown = Reflect.get(part, call);
    if (typeof work !== "function") continue;
    const limit = {
      ...{ milliseconds, waitedFor: `the store's ${name}.${call}`, option: "storeTimeLimitMs", timers: globalThis },
    };
    limited[call] = (...given: readonly unknown[]) => withinLimit(() => work.apply(part, given), limit);
  }
  return Object.freeze(limited);
}
