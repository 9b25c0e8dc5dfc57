import type { JsonObject, ProviderMetadata } from "@threadfold/core";
import { type ForeignObject, nonEmptyText, withoutUndefined } from "../reading/foreign-value.ts";

/** What a message of OpenAI's tells of its speaker beside the role: its name, and the role of a developer. */
export function messageMetadata(message: ForeignObject): { readonly providerMetadata?: ProviderMetadata } {
  const name = nonEmptyText(message.name)?.toWellFormed();
  const role = message.role === "developer" ? "developer" : undefined;
  const openai = withoutUndefined<JsonObject>({ role, name });
  return Object.keys(openai).length === 0 ? {} : { providerMetadata: { openai } };
}
