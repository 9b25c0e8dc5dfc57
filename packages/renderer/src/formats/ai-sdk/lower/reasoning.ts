import type { JsonObject, ProviderMetadata, ReasoningPart } from "@threadfold/core";
import { withOptions } from "./provider-options.ts";

/** How each of the SDK's providers names the proof of its own reasoning. */
const PROOF_FIELDS: Readonly<Record<string, { readonly signature: string; readonly encrypted: string }>> = {
  anthropic: { signature: "signature", encrypted: "redactedData" },
  openai: { signature: "signature", encrypted: "reasoningEncryptedContent" },
  google: { signature: "thoughtSignature", encrypted: "thoughtSignature" },
};

/** Names of our own that the SDK has another one for. */
const SDK_NAMES: Readonly<Record<string, string>> = { gemini: "google" };

/** Reasoning is its text; signatures and encrypted data are options of the provider that made them. */
export function lowerReasoning(part: ReasoningPart): JsonObject {
  return withOptions({ type: "reasoning", text: part.text }, withProof(part));
}

function withProof({ provider, signature, encrypted, providerMetadata }: ReasoningPart): ProviderMetadata | undefined {
  if (provider === undefined || (signature === undefined && encrypted === undefined)) return providerMetadata;
  const name = SDK_NAMES[provider] ?? provider;
  const fields = PROOF_FIELDS[name] ?? { signature: "signature", encrypted: "encrypted" };
  const proof: JsonObject = {
    ...(signature !== undefined && { [fields.signature]: signature }),
    ...(encrypted !== undefined && { [fields.encrypted]: encrypted }),
  };
  return { ...providerMetadata, [name]: { ...providerMetadata?.[name], ...proof } };
}
