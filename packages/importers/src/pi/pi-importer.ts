import type { MessageId, Steps } from "@threadfold/core";
import { nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourceRecords } from "../reading/source-records.ts";
import { newestModel, type SessionDraft } from "../session/session-draft.ts";
import { importing, type SessionImporter } from "../session/session-importer.ts";
import { addPiMessage, addUser, type PiTarget, piContentParts } from "./pi-messages.ts";
import { type EntryMessage, type PiEntry, piBranches, piCompactions, piEntry, retainedTail } from "./pi-tree.ts";

/**
 * Entry types with nothing of their own for the model: settings and state of the tool, and data about other entries.
 */
const NON_PROMPT = new Set([
  ...["session", "model_change", "thinking_level_change", "active_tools_change", "custom", "label", "session_info"],
  ...["usage", "context_edit", "leaf", "record", "fact"],
]);

/** Imports sessions of the pi coding agent, versions 1 to 4. */
export const piImporter: SessionImporter = {
  format: "pi",
  detect: detectPi,
  ...importing(function* (source, draft) {
    const entries = source.records.map(piEntry);
    const header = entries.find((entry) => entry?.type === "session")?.fields;
    draft.startAt(header?.timestamp);
    const messages = yield* addEntries(entries, source, draft);
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
  }),
};

function* addEntries(
  entries: readonly (PiEntry | undefined)[],
  { records }: SourceRecords,
  draft: SessionDraft,
): Steps<readonly EntryMessage[]> {
  const places = piBranches(entries);
  const messages: EntryMessage[] = [];
  for (const [index, { line }] of records.entries()) {
    yield;
    const entry = entries[index];
    const { branch, missingParent } = places[index] ?? {};
    if (missingParent !== undefined)
      draft.warnings.push({ kind: "missing-parent", at: { line }, parentId: missingParent });
    if (entry === undefined) draft.reportMalformed({ line }, "it is not an object with a type");
    const messageId = entry && addEntry(entry, { draft, branch });
    if (entry === undefined || messageId === undefined) continue;
    const { from, missing = [] } = retainedTail(entries, places, index) ?? {};
    messages.push({ entry: index, messageId, branch, keptFrom: from });
    for (const [place, message] of missing.entries())
      addPiMessage({ ...entry, id: `${messageId}.${place}`, fields: { ...entry.fields, message } }, { draft, branch });
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

/** Adds the summary of a compaction, or of a branch that the user left, at its position in the log. */
function addSummary(entry: PiEntry, target: PiTarget): MessageId | undefined {
  const text = textOf(entry.fields.summary);
  if (text !== undefined) {
    return addUser([{ type: "text", text }], entry.type === "compaction" ? "compaction" : "harness", entry, target);
  }
  target.draft.reportMalformed({ line: entry.line }, "it has no summary");
  return undefined;
}

/** How many records are examined: the header may be missing, but messages follow soon. */
const SAMPLE = 50;

const ROLES = new Set(["user", "assistant", "toolResult", "bashExecution", "custom", "hookMessage"]);

/**
 * Returns the confidence, from 0 to 1, that the source is a pi session: its header is conclusive; otherwise entries
 * that wrap messages count.
 */
function detectPi({ records }: SourceRecords): number {
  let sureness = 0;
  for (const { value } of records.slice(0, SAMPLE)) {
    const entry = objectOf(value);
    if (entry?.type === "session" && textOf(entry.id) !== undefined && entry.payload === undefined) return 1;
    if (entry?.kind === "header" && entry.version === 4 && textOf(entry.id) !== undefined) return 1;
    const isPlaced = entry?.timestamp !== undefined || entry?.id !== undefined;
    if (isPlaced && entry.type === "message" && ROLES.has(textOf(objectOf(entry.message)?.role) ?? "")) sureness = 0.8;
  }
  return sureness;
}
