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
import type { SessionOptions } from "./session-options.ts";

/** What a session is put together from, defaults filled in. */
export interface SessionParts {
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
  return {
    store: options.store ?? createMemoryStore(),
    preset,
    config,
    tokenizer: options.tokenizer ?? heuristicTokenizer(),
    durabilityOf: durabilityPolicy(config),
  };
}
