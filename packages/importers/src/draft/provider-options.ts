import type { JsonObject, ProviderMetadata } from "@threadfold/core";
import { objectOf } from "../reading/foreign-value.ts";

/**
 * The options of providers as the AI SDK and those who build on it write them: an object by provider name. Anything
 * else gives none.
 */
export function providerOptions(value: unknown): { readonly providerMetadata?: ProviderMetadata } {
  const entries = Object.entries(objectOf(value) ?? {}).flatMap(([provider, options]) => {
    const own = objectOf(options);
    return own === undefined ? [] : [[provider, own as JsonObject] as const];
  });
  return entries.length === 0 ? {} : { providerMetadata: Object.fromEntries(entries) };
}
