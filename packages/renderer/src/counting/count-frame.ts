import type { ProviderAwareTokenizer, SystemEntry, ToolDefinition } from "@threadfold/core";

/** What a request costs beyond its messages and tools, in tokens. */
export interface FrameTokens {
  readonly system: number;
  /** What the provider wraps around a request. */
  readonly overhead: number;
}

const known = new WeakMap<readonly ToolDefinition[], { readonly tokenizer: string; readonly tokens: number }>();

/** Counts system text. */
export function countFrame(system: readonly SystemEntry[], tokenizer: ProviderAwareTokenizer): FrameTokens {
  const overhead = tokenizer.countRequest({ system: [], tools: [], messages: [] });
  const withSystem = system.length === 0 ? overhead : tokenizer.countRequest({ system, tools: [], messages: [] });
  return { system: withSystem - overhead, overhead };
}

/** Counts the definitions of tools. Those of one array are counted once per counter. */
export function countTools(tools: readonly ToolDefinition[], tokenizer: ProviderAwareTokenizer): number {
  const found = known.get(tools);
  if (found?.tokenizer === tokenizer.id) return found.tokens;
  const tokens = tokenizer.countToolSchemas(tools);
  known.set(tools, { tokenizer: tokenizer.id, tokens });
  return tokens;
}
