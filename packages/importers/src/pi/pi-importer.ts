import type { MessageId } from "@threadfold/core";
import { newestModel } from "../draft/newest-model.ts";
import type { SessionDraft } from "../draft/session-draft.ts";
import { nonEmptyText, textOf } from "../reading/foreign-value.ts";
import type { SourceRecords } from "../reading/source-records.ts";
import type { SessionImporter } from "../session-importer.ts";
import { detectPi } from "./detect-pi.ts";
import type { EntryMessage } from "./entry-messages.ts";
import { piBranches } from "./pi-branches.ts";
import { piCompactions } from "./pi-compactions.ts";
import { type PiEntry, piEntry } from "./pi-entry.ts";
import { addPiMessage, addUser, type PiTarget } from "./pi-messages.ts";
import { piContentParts } from "./pi-parts.ts";

/** Entries that hold settings or state of the tool, or that say what it shows of others, and nothing of their own for the model. */
const NON_PROMPT = new Set([
  "session",
  "model_change",
  "thinking_level_change",
  "custom",
  "label",
  "session_info",
  "usage",
  "context_edit",
]);

/** Sessions of the pi coding agent, versions 1 to 3 (seed 001). */
export const piImporter: SessionImporter = {
  format: "pi",
  detect: detectPi,
  import(source, draft) {
    const entries = source.records.map(piEntry);
    const header = entries.find((entry) => entry?.type === "session")?.fields;
    draft.startAt(header?.timestamp);
    const messages = addEntries(entries, source, draft);
    draft.compactions.push(...piCompactions(entries, messages));
    const model = newestModel(draft.messages) ?? nonEmptyText(header?.modelId);
    const sessionId = nonEmptyText(header?.id);
    return {
      records: entries.length,
      system: [],
      tools: [],
      ...(sessionId !== undefined && { sessionId }),
      ...(model !== undefined && { model }),
    };
  },
};

function addEntries(
  entries: readonly (PiEntry | undefined)[],
  { records }: SourceRecords,
  draft: SessionDraft,
): readonly EntryMessage[] {
  const places = piBranches(entries);
  const messages: EntryMessage[] = [];
  for (const [index, { line }] of records.entries()) {
    const entry = entries[index];
    const { branch, missingParent } = places[index] ?? {};
    if (missingParent !== undefined)
      draft.warnings.push({ kind: "missing-parent", at: { line }, parentId: missingParent });
    if (entry === undefined) draft.reportMalformed({ line }, "it is no object with a type");
    const messageId = entry && addEntry(entry, { draft, branch });
    if (messageId !== undefined) messages.push({ entry: index, messageId, branch });
  }
  return messages;
}

function addEntry(entry: PiEntry, target: PiTarget): MessageId | undefined {
  const { type, fields, line } = entry;
  if (type === "message") return addPiMessage(entry, target);
  if (type === "custom_message") return addUser(piContentParts(fields.content), "harness", entry, target);
  if (type === "compaction" || type === "branch_summary") return addSummary(entry, target);
  if (NON_PROMPT.has(type)) target.draft.skip(type, line);
  else target.draft.skipUnknown(type, line);
  return undefined;
}

/** The summary of a compaction, or that of a branch which the user left, stands in the log where it was written. */
function addSummary(entry: PiEntry, target: PiTarget): MessageId | undefined {
  const text = textOf(entry.fields.summary);
  if (text !== undefined) {
    return addUser([{ type: "text", text }], entry.type === "compaction" ? "compaction" : "harness", entry, target);
  }
  target.draft.reportMalformed({ line: entry.line }, "it has no summary");
  return undefined;
}
