import type { ProviderMetadata, SystemText } from "@threadfold/core";

/** The role that OpenAI gave a system message, which has two of them; undefined where the log says nothing of it. */
export function systemRole(metadata: ProviderMetadata | undefined): SystemText["role"] {
  const role = metadata?.["openai"]?.["role"];
  return role === "system" || role === "developer" ? role : undefined;
}

/** What providers tell of a message beside that role; undefined when there is nothing else. */
export function withoutSystemRole(metadata: ProviderMetadata | undefined): ProviderMetadata | undefined {
  if (metadata?.["openai"]?.["role"] === undefined) return metadata;
  const { openai, ...others } = metadata;
  const { role: _role, ...more } = openai ?? {};
  const rest = Object.keys(more).length === 0 ? others : { ...others, openai: more };
  return Object.keys(rest).length === 0 ? undefined : rest;
}

/** What providers tell of a message and of its first part, where both go out as one. */
export function joinMetadata(
  first: ProviderMetadata | undefined,
  second: ProviderMetadata | undefined,
): ProviderMetadata | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  const providers = [...new Set([...Object.keys(first), ...Object.keys(second)])];
  return Object.fromEntries(providers.map((provider) => [provider, { ...first[provider], ...second[provider] }]));
}
