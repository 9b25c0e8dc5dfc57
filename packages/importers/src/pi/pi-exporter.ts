import { actionOf, type Message, type MessageId } from "@threadfold/core";
import {
  ExportNotes,
  headText,
  type SessionExport,
  type SessionExporter,
  splitWindow,
  type TailMessage,
} from "../exporting/session-exporter.ts";
import type { ForeignObject } from "../reading/foreign-value.ts";
import { isEditable, PiLog } from "./pi-log.ts";
import { piContent, piMessageEntry } from "./pi-message-entry.ts";

/**
 * Exports to a session of the pi coding agent, version 3. Entries are only added at the end of the log: messages that
 * it lacks, a `context_edit` for each message after the summary that is shown changed or not at all, and finally the
 * compaction, which names the first kept entry. Versions of pi without `context_edit` show those messages in full.
 */
export const piExporter: SessionExporter = {
  format: "pi",
  export(session) {
    const notes = new ExportNotes();
    const { source, thread, at } = session;
    const log = source === undefined ? PiLog.fresh(thread.id, at) : PiLog.of(source, notes);
    const entries = addMissing(log, session, notes);
    addWindow(log, entries, session, notes);
    return { format: "pi", text: log.text, added: log.added, warnings: notes.warnings };
  },
};

/** The log entry of a message. */
interface MessageEntry {
  readonly id: string;
  readonly isEditable: boolean;
}

function addMissing(log: PiLog, { thread }: SessionExport, notes: ExportNotes): ReadonlyMap<MessageId, MessageEntry> {
  const entries = new Map<MessageId, MessageEntry>();
  for (const message of thread.messages) {
    const known = log.entryOf(message);
    const entry = known === undefined ? addMessage(log, message, notes) : knownEntry(known);
    if (entry !== undefined) entries.set(message.id, entry);
  }
  return entries;
}

const knownEntry = (entry: ForeignObject): MessageEntry => ({ id: String(entry.id), isEditable: isEditable(entry) });

function addMessage(log: PiLog, message: Message, notes: ExportNotes): MessageEntry | undefined {
  if (message.branch !== undefined) {
    notes.add("left-out-branch");
    return undefined;
  }
  const entry = piMessageEntry(message, notes);
  return entry && { id: log.add(entry, `message ${message.id}`), isEditable: true };
}

function addWindow(
  log: PiLog,
  entries: ReadonlyMap<MessageId, MessageEntry>,
  session: SessionExport,
  notes: ExportNotes,
): void {
  const { thread, plan, window, at } = session;
  const { head, tail } = showable(splitWindow(window, thread, plan), entries);
  const shown = new Map(tail.map((kept) => [kept.message.id, kept]));
  const first = tail[0]?.message;
  const from = head.length === 0 ? 0 : (first?.ordinal ?? thread.length);
  for (const message of thread.messagesBetween(from)) {
    const entry = entries.get(message.id);
    const isFolded = message.branch === undefined && actionOf(plan, message.id).action !== "include";
    if (entry === undefined || !isFolded) continue;
    const kept = shown.get(message.id);
    const replacement = kept === undefined ? null : { content: piContent(kept.chat.parts, notes) };
    const edit = { type: "context_edit", timestamp: at, targetId: entry.id, replacement };
    log.add(edit, `edit ${plan.planId} ${message.id}`);
  }
  if (head.length === 0) return;
  const firstKept = first && entries.get(first.id);
  const compaction = {
    type: "compaction",
    timestamp: at,
    summary: headText(head),
    // pi names the compaction itself when nothing is kept; any id that is not in the log means the same.
    firstKeptEntryId: firstKept?.id ?? "",
    keepLastMessages: tail.length,
    tokensBefore: plan.originalTokens,
    details: {
      threadfold: { planId: plan.planId, planVersion: plan.version, tokensAfter: plan.compactedTokens },
    },
    fromHook: true,
  };
  log.add(compaction, `compaction ${plan.planId}`);
}

/** A message whose content pi cannot replace goes into the summary, together with everything before it. */
function showable(
  { head, tail }: ReturnType<typeof splitWindow>,
  entries: ReadonlyMap<MessageId, MessageEntry>,
): ReturnType<typeof splitWindow> {
  const cut = tail.findLastIndex((kept) => !canShow(kept, entries)) + 1;
  return { head: [...head, ...tail.slice(0, cut).map(({ chat }) => chat)], tail: tail.slice(cut) };
}

function canShow({ message, isChanged }: TailMessage, entries: ReadonlyMap<MessageId, MessageEntry>): boolean {
  const entry = entries.get(message.id);
  return entry !== undefined && (!isChanged || entry.isEditable);
}
