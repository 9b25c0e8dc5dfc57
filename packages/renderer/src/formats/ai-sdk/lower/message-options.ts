import type { ProviderMetadata } from "@threadfold/core";

/** Fields of OpenAI's messages that the SDK has no option for. */
const NO_OPTIONS: readonly string[] = ["name", "role"];

/** What providers tell of a whole message, as far as the SDK can hand it to them. */
export function messageOptions(metadata: ProviderMetadata | undefined): ProviderMetadata | undefined {
  if (metadata?.openai === undefined) return metadata;
  const { openai, ...others } = metadata;
  const kept = Object.entries(openai).filter(([name]) => !NO_OPTIONS.includes(name));
  return kept.length === 0 ? others : { ...others, openai: Object.fromEntries(kept) };
}
