import type { MessageId } from "@threadfold/core";
import { type ForeignObject, nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourceRecords } from "../reading/source-records.ts";
import { newestModel, type SessionDraft } from "../session/session-draft.ts";
import type { SessionImporter } from "../session/session-importer.ts";
import { addAssistantMessage, addUserMessage } from "./opencode-messages.ts";
import { isSummary } from "./opencode-parts.ts";
import {
  exportedMessages,
  type OpencodeMessage,
  type OpencodeSession,
  opencodeThreads,
  readOpencodeSession,
} from "./opencode-session.ts";

/** The branch of messages that the user undid: they stay in the log but are no longer sent. */
const REVERTED = "reverted";

/**
 * Imports sessions of OpenCode: rows of its database, one per line; the files of its storage folder, one per line; or
 * the document that `opencode export` writes.
 */
export const opencodeImporter: SessionImporter = {
  format: "opencode",
  detect: detectOpencode,
  threads: opencodeThreads,
  import(source, draft) {
    const session = readOpencodeSession(source, draft);
    addMessages(session, draft);
    const model = newestModel(draft.messages);
    return {
      records: session.records,
      system: [],
      tools: [],
      ...(session.id !== undefined && { sessionId: session.id }),
      ...(model !== undefined && { model }),
    };
  },
};

function addMessages({ messages, revertedFrom }: OpencodeSession, draft: SessionDraft): void {
  const ids = new Map<string, MessageId>();
  let isReverted = false;
  let asked: OpencodeMessage | undefined;
  for (const message of messages) {
    const { row } = message;
    isReverted ||= row.id !== undefined && row.id === revertedFrom;
    const target = { draft, branch: isReverted ? REVERTED : undefined };
    const isUser = row.data.role === "user" || row.data.role === "system";
    if (!isUser && row.data.role !== "assistant") {
      reportUnread(message, draft);
      continue;
    }
    const id = isUser ? addUserMessage(message, target) : addAssistantMessage(message, target);
    if (row.id !== undefined) ids.set(row.id, id);
    if (isSummary(row.data)) draft.compactions.push({ messageId: id, ...compactionOf(row.data, asked, ids) });
    else if (isUser) asked = message;
  }
}

/** Reports a message with an unknown role, and each of its parts. */
function reportUnread({ row, parts }: OpencodeMessage, draft: SessionDraft): void {
  draft.reportMalformed(row.at, "its message has no known role");
  for (const part of row.at.path === undefined ? parts : [])
    draft.reportMalformed(part.at, "the message of this part has no known role");
}

/**
 * The compaction request gives the reason, and the start of the tail that is still sent after the summary. In newer
 * versions there is no request, and the summary contains what is still sent.
 */
function compactionOf(
  { reason }: ForeignObject,
  asked: OpencodeMessage | undefined,
  ids: ReadonlyMap<string, MessageId>,
): { readonly trigger?: string; readonly firstKeptMessageId?: MessageId } {
  const trigger = nonEmptyText(reason)?.toWellFormed();
  if (trigger !== undefined) return { trigger };
  const data = asked?.parts.find((part) => part.data.type === "compaction")?.data;
  if (data === undefined) return {};
  const kept = ids.get(nonEmptyText(data.tail_start_id) ?? "");
  return { trigger: data.auto === true ? "auto" : "manual", ...(kept !== undefined && { firstKeptMessageId: kept }) };
}

/** How many records are examined. */
const SAMPLE = 50;

const TABLES = new Set(["session", "message", "part", "session_message"]);

/**
 * Returns the confidence, from 0 to 1, that the source is an OpenCode session: rows of its database, its storage files,
 * or an export.
 */
function detectOpencode({ records }: SourceRecords): number {
  if (records.length === 1 && exportedMessages(records[0]?.value) !== undefined) return 1;
  let sureness = 0;
  for (const { value } of records.slice(0, SAMPLE)) {
    const row = objectOf(value);
    const id = textOf(row?.id) ?? "";
    const table = textOf(row?.table) ?? "";
    if (TABLES.has(table) && id !== "") return 1;
    if (isStorageFile(id, row ?? {})) sureness = 0.97;
  }
  return sureness;
}

/** Checks for a file of the storage folder, whose id tells which kind it is. */
function isStorageFile(id: string, row: Readonly<Record<string, unknown>>): boolean {
  if (id.startsWith("prt_")) return row.messageID !== undefined;
  if (id.startsWith("msg_")) return row.sessionID !== undefined && row.role !== undefined;
  return id.startsWith("ses_") && row.projectID !== undefined;
}
