import type { JsonObject, ProviderMetadata } from "@threadfold/core";

/** What providers said about a part goes back under the name that the SDK has for it; nothing when there is nothing. */
export const withOptions = (part: JsonObject, metadata: ProviderMetadata | undefined): JsonObject =>
  metadata === undefined || Object.keys(metadata).length === 0 ? part : { ...part, providerOptions: metadata };
