import { type MessageId, type ProviderMetadata, type SystemEntry, toSystemText } from "@threadfold/core";
import type { FieldTable, FormatRequirements } from "../capabilities/format-requirements.ts";
import type { Draft } from "../neutral/draft.ts";
import { systemRole, withoutSystemRole } from "../neutral/split-system.ts";
import type { WarningLog } from "../warnings/warning-log.ts";
import type { Repair } from "./conformance.ts";

/** The field of a text whose loss is reported; its other fields are the provider's bookkeeping. */
const MISSED: readonly string[] = ["cache_control", "cacheControl", "prompt_cache_breakpoint", "citations"];

/**
 * Changes nothing: reports what providers said about system texts, messages and texts that has no place in the format,
 * such as names, the role of a developer, cache marks and citations.
 */
export const noteLeftOutFields: Repair = {
  name: "note-left-out-fields",
  apply(request, { requirements: { fields }, warnings }) {
    for (const entry of request.system) noteSystem(entry, fields, warnings);
    for (const draft of request.drafts) noteDraft(draft, fields, warnings);
    return request;
  },
};

type Fields = FormatRequirements["fields"];

function noteSystem(entry: SystemEntry, fields: Fields, warnings: WarningLog): void {
  const { role, providerMetadata } = toSystemText(entry);
  const told = leftOut(
    providerMetadata,
    (provider, name) => takes(fields.texts, provider, name) || takes(fields.messages, provider, name),
  );
  const isDeveloper = role === "developer" && !takes(fields.messages, "openai", "role");
  note(isDeveloper ? ["openai.role", ...told] : told, [], warnings);
}

function noteDraft({ chat }: Draft, fields: Fields, warnings: WarningLog): void {
  const { providerMetadata, parts, sources } = chat;
  // Every format takes a plain system message as one: nothing is lost when it is not a developer's.
  const told = systemRole(providerMetadata) === "system" ? withoutSystemRole(providerMetadata) : providerMetadata;
  const isTaken = (provider: string, name: string) => takes(fields.messages, provider, name);
  if (told !== undefined) note(leftOut(told, isTaken), sources, warnings);
  for (const part of parts) {
    if (part.type !== "text" || part.providerMetadata === undefined) continue;
    const isKept = (provider: string, name: string) => !MISSED.includes(name) || takes(fields.texts, provider, name);
    note(leftOut(part.providerMetadata, isKept), sources, warnings);
  }
}

const leftOut = (
  metadata: ProviderMetadata | undefined,
  isKept: (provider: string, name: string) => boolean,
): readonly string[] =>
  Object.entries(metadata ?? {}).flatMap(([provider, fields]) =>
    Object.keys(fields).flatMap((name) => (isKept(provider, name) ? [] : [`${provider}.${name}`])),
  );

function takes(table: FieldTable, provider: string, name: string): boolean {
  const taken = Object.hasOwn(table, provider) ? table[provider] : table["*"];
  return taken === "all" || taken?.includes(name) === true;
}

function note(names: readonly string[], messageIds: readonly MessageId[], warnings: WarningLog): void {
  if (names.length > 0) warnings.named("field-left-out", names, messageIds);
}
