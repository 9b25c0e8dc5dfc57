import type { JsonObject, ProviderMetadata } from "@threadfold/core";
import { providerExtras } from "../draft/provider-extras.ts";
import { type ForeignObject, nonEmptyText } from "../reading/foreign-value.ts";

/** Bookkeeping of Codex that never goes to the provider. */
const BOOKKEEPING = ["metadata", "internal_chat_message_metadata_passthrough", "timestamp", "created_at"];

/**
 * What an item of the Responses API says that the neutral model has no place for, under `openai`: its id as `itemId`,
 * other fields as on the wire.
 *
 * @param known the fields that the model does have a place for.
 */
export function itemMetadata(
  item: ForeignObject,
  known: readonly string[],
): { readonly providerMetadata?: ProviderMetadata } {
  const { providerMetadata } = providerExtras("openai", item, new Set([...known, ...BOOKKEEPING, "id"]));
  const itemId = nonEmptyText(item.id);
  if (itemId === undefined) return providerMetadata === undefined ? {} : { providerMetadata };
  return { providerMetadata: { openai: { itemId, ...providerMetadata?.openai } satisfies JsonObject } };
}
