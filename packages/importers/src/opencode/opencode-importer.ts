import type { MessageId } from "@threadfold/core";
import { newestModel } from "../draft/newest-model.ts";
import type { SessionDraft } from "../draft/session-draft.ts";
import { nonEmptyText } from "../reading/foreign-value.ts";
import type { SessionImporter } from "../session-importer.ts";
import { detectOpencode } from "./detect-opencode.ts";
import { addAssistantMessage, addUserMessage } from "./opencode-messages.ts";
import { type OpencodeMessage, type OpencodeSession, readOpencodeSession } from "./opencode-session.ts";
import { opencodeThreads } from "./opencode-threads.ts";

/** The branch of what the user took back: it stays in the log and is not sent any more. */
const REVERTED = "reverted";

/**
 * Sessions of OpenCode: rows of its database, one a line; the files of its storage folder, one a line; or the document
 * that `opencode export` writes.
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
    const isUser = row.data.role === "user";
    if (!isUser && row.data.role !== "assistant") {
      reportUnread(message, draft);
      continue;
    }
    const id = isUser ? addUserMessage(message, target) : addAssistantMessage(message, target);
    if (row.id !== undefined) ids.set(row.id, id);
    if (isUser) asked = message;
    else if (row.data.summary === true) draft.compactions.push({ messageId: id, ...compactionOf(asked, ids) });
  }
}

/** A message whose role is unknown is reported, and each of its parts with it. */
function reportUnread({ row, parts }: OpencodeMessage, draft: SessionDraft): void {
  draft.reportMalformed(row.at, "its message has no known role");
  for (const part of row.at.path === undefined ? parts : [])
    draft.reportMalformed(part.at, "the message of this part has no known role");
}

/** What asked for the summary says why, and where the tail begins that is still sent after it. */
function compactionOf(
  asked: OpencodeMessage | undefined,
  ids: ReadonlyMap<string, MessageId>,
): { readonly trigger?: string; readonly firstKeptMessageId?: MessageId } {
  const data = asked?.parts.find((part) => part.data.type === "compaction")?.data;
  if (data === undefined) return {};
  const kept = ids.get(nonEmptyText(data.tail_start_id) ?? "");
  return { trigger: data.auto === true ? "auto" : "manual", ...(kept !== undefined && { firstKeptMessageId: kept }) };
}
