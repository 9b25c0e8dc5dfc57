import type { JsonObject, JsonValue, ProviderMetadata } from "@threadfold/core";
import type { ForeignObject } from "../reading/foreign-value.ts";

/**
 * The fields of a provider's block that the neutral model has no place for, under the provider's name and spelled as
 * on the wire: cache markers, citations, item ids. Rendering for that provider puts them back.
 *
 * @param known the fields that the model does have a place for.
 */
export function providerExtras(
  provider: string,
  block: ForeignObject,
  known: ReadonlySet<string>,
): { readonly providerMetadata?: ProviderMetadata } {
  let extras: Record<string, JsonValue> | undefined;
  for (const key of Object.keys(block)) {
    const value = block[key];
    if (known.has(key) || value === null || value === undefined) continue;
    extras ??= {};
    // A plain assignment to `__proto__` would change the prototype instead of adding a field.
    Object.defineProperty(extras, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return extras === undefined ? {} : { providerMetadata: { [provider]: extras satisfies JsonObject } };
}
