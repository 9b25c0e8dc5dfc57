import {
  asThreadId,
  type Calibration,
  type Clock,
  type ContextCompactionConfig,
  compactionConfig,
  type DurabilityOf,
  modelRow,
  type ProviderAwareTokenizer,
  suggestedCap,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
  withinLimit,
} from "@threadfold/core";
import { createMemoryStore, openStore } from "@threadfold/stores";
import {
  type CompactionPreset,
  declaredOverrides,
  declaredProbe,
  durabilityPolicy,
  threadfoldPreset,
} from "@threadfold/strategies";
import { characterClassTokenizer } from "@threadfold/tokenizers";
import { type CheckedOptions, checkedOptions } from "./checked-options.ts";
import type { OpenOptions, SessionOptions } from "./session-options.ts";

/** The machine's clock. */
export const systemClock: Clock = Object.freeze({ now: () => Date.now() });

/** How long a call of the store may take by default, in milliseconds. */
const STORE_TIME_LIMIT_MS = 120_000;

/** What a session is put together from, defaults filled in. */
export interface SessionParts {
  /** The store as it was handed in. */
  readonly givenStore: ThreadfoldStore;
  /** The same, with a limit on each of its calls. */
  readonly store: ThreadfoldStore;
  readonly preset: CompactionPreset;
  readonly config: ContextCompactionConfig;
  readonly tokenizer: ProviderAwareTokenizer;
  readonly durabilityOf: DurabilityOf;
}

/**
 * Opens the store that is named by its path and names a thread that has no name.
 *
 * @throws ThreadfoldError `INVALID_CONFIG`, before anything is opened; what opening the store throws.
 */
export async function openedOptions(given: OpenOptions): Promise<SessionOptions> {
  const { threadId = globalThis.crypto.randomUUID(), store, clock, ...options } = checkedOptions(given);
  const opened = typeof store === "string" ? await openStore(store) : store;
  return {
    ...withDeclared(options),
    threadId: asThreadId(threadId),
    ...(clock !== undefined && { clock: checkedClock(clock) }),
    ...(opened !== undefined && { store: opened }),
  };
}

/** No date is further from 1970, in milliseconds. */
const LAST_DATE = 8.64e15;

/** A clock of the host's whose times are times: anything else would end in a `RangeError` wherever a date is made of it. */
const checkedClock = (clock: Clock): Clock => ({
  now() {
    const now: unknown = clock.now();
    if (typeof now === "number" && Math.abs(now) <= LAST_DATE) return now;
    throw new ThreadfoldError("INVALID_CONFIG", `clock.now() gave ${String(now)}, which is no time.`, {
      details: { name: "clock" },
      hint: "Return milliseconds since 1970, as Date.now() does.",
    });
  },
});

/** The options with what tools declared, where the host said nothing else of them. */
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

/** What holds now in a session, for another one that is opened like it. */
export interface OpenSessionState {
  readonly threadId: ThreadId;
  readonly store: ThreadfoldStore;
  readonly config: ContextCompactionConfig;
  readonly model: string | undefined;
  readonly calibration: Calibration;
}

/** The options of a session on another thread: those of an open one, with the cap, the model and the counter that it has now. */
export function otherOptions(
  { config, ...options }: SessionOptions,
  { threadId, store, config: { maxInputTokens }, model, calibration }: OpenSessionState,
): SessionOptions {
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

/** The cap that the model suggests, where there is a row for it and the preset has no cap that its window has room for. */
function modelCap({ model, models }: Pick<SessionOptions, "model" | "models">, { config }: CompactionPreset) {
  const row = model === undefined ? undefined : modelRow(model, models);
  const { maxInputTokens = Number.POSITIVE_INFINITY } = config;
  return row === undefined || maxInputTokens <= row.windowTokens ? {} : { maxInputTokens: suggestedCap(row) };
}

type StorePart = Exclude<keyof ThreadfoldStore, "close">;

/** The calls of a store's parts. */
const STORE_CALLS: { readonly [Name in StorePart]: readonly (keyof NonNullable<ThreadfoldStore[Name]>)[] } = {
  threads: ["append", "load", "list"],
  plans: ["getCurrentPlan", "getCurrentVersion", "getPlan", "listPlans", "commitPlan"],
  artifacts: ["store", "getMetadata", "retrieve", "list"],
  journal: ["append", "read"],
  ranges: ["resume", "loadRange", "findMessages"],
  recall: ["index", "search", "remove"],
};

/**
 * A store of which no call is waited for longer than a limit. What became of a call that was given up is not known; all
 * calls may be made again, as they may be after an answer that was lost.
 */
function limitedStore(store: ThreadfoldStore, milliseconds: number): ThreadfoldStore {
  const parts: PropertyDescriptorMap = {};
  for (const [name, calls] of Object.entries(STORE_CALLS)) {
    const part = store[name as StorePart];
    if (part !== undefined) parts[name] = { value: limitedPart(name, part, calls, milliseconds), enumerable: true };
  }
  // Whatever else it has, such as an eraser, it keeps.
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
