import {
  type ContextCompactionConfig,
  compactionConfig,
  type DurabilityOf,
  type ProviderAwareTokenizer,
  type ThreadfoldStore,
} from "@threadfold/core";
import { createMemoryStore } from "@threadfold/stores";
import { type CompactionPreset, durabilityPolicy, threadfoldPreset } from "@threadfold/strategies";
import { heuristicTokenizer } from "@threadfold/tokenizers";
import { checkedOptions } from "./checked-options.ts";
import { limitedStore } from "./limited-store.ts";
import type { SessionOptions } from "./session-options.ts";

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

/** Fills in what the options leave out. @throws ThreadfoldError `INVALID_CONFIG`. */
export function sessionParts(given: SessionOptions): SessionParts {
  const options = checkedOptions(given);
  const preset = options.preset ?? threadfoldPreset;
  const config = compactionConfig({ ...preset.config, ...options.config });
  const givenStore = options.store ?? createMemoryStore();
  return {
    givenStore,
    store: limitedStore(givenStore, options.storeTimeLimitMs ?? STORE_TIME_LIMIT_MS),
    preset,
    config,
    tokenizer: options.tokenizer ?? heuristicTokenizer(),
    durabilityOf: durabilityPolicy(config),
  };
}
