import { type JsonObject, type MessageId, toWellFormedJson } from "@threadfold/core";
import type { ImportedCompaction } from "../imported-session.ts";
import { countOf, type ForeignObject, objectOf, withoutUndefined } from "../reading/foreign-value.ts";
import { type EntryMessage, EntryMessages } from "./entry-messages.ts";
import type { PiEntry } from "./pi-entry.ts";

/**
 * The compactions that a session holds, by the messages that its entries became. Each names the first entry that was
 * kept: by its index among all entries, the header included (version 1), by its id (from version 2 on), or by how many
 * messages were kept (seed 001).
 */
export function piCompactions(
  entries: readonly (PiEntry | undefined)[],
  messages: readonly EntryMessage[],
): readonly ImportedCompaction[] {
  const compactions = messages.filter(({ entry }) => entries[entry]?.type === "compaction");
  if (compactions.length === 0) return [];
  const kept = new EntryMessages();
  for (const message of messages) kept.add(message);
  const byId = new Map(entries.map((entry, index) => [entry?.id, index]));
  return compactions.map((message) => {
    const fields = entries[message.entry]?.fields ?? {};
    const details = objectOf(fields.details);
    return withoutUndefined<ImportedCompaction>({
      messageId: message.messageId,
      firstKeptMessageId: firstKept(fields, message, kept, byId),
      tokensBefore: countOf(fields.tokensBefore),
      details: details && (toWellFormedJson(details) as JsonObject),
    });
  });
}

function firstKept(
  fields: ForeignObject,
  { entry, branch }: EntryMessage,
  kept: EntryMessages,
  byId: ReadonlyMap<unknown, number>,
): MessageId | undefined {
  const last = countOf(fields.keepLastMessages);
  if (last !== undefined) return kept.firstOfLast(last, entry, branch);
  const from =
    fields.firstKeptEntryId === undefined ? countOf(fields.firstKeptEntryIndex) : byId.get(fields.firstKeptEntryId);
  return from === undefined ? undefined : kept.firstFrom(from, entry, pathTo(branch));
}

/** The branches that a branch grew out of, the main one first, and the branch itself. */
function pathTo(branch: string | undefined): readonly (string | undefined)[] {
  const segments = branch?.split("/") ?? [];
  return [undefined, ...segments.map((_, index) => segments.slice(0, index + 1).join("/"))];
}
