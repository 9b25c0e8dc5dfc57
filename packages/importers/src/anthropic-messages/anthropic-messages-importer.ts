import type { JsonObject } from "@threadfold/core";
import { conversationSeed } from "../draft/conversation-seed.ts";
import { newestModel } from "../draft/newest-model.ts";
import type { SessionDraft } from "../draft/session-draft.ts";
import { type FoundConversation, findConversation } from "../reading/find-conversation.ts";
import { type ForeignObject, nonEmptyText, objectOf, textOf, withoutUndefined } from "../reading/foreign-value.ts";
import type { SessionImporter } from "../session-importer.ts";
import type { SourcePointer } from "../source-pointer.ts";
import { anthropicAssistantParts, anthropicPart, blocksOf } from "./anthropic-parts.ts";
import { anthropicTools } from "./anthropic-tools.ts";
import { anthropicUsage } from "./anthropic-usage.ts";
import { anthropicUserTurn } from "./anthropic-user-turn.ts";
import { detectAnthropicMessages } from "./detect-anthropic-messages.ts";

/** One message with what is needed to import it. */
interface Entry {
  readonly message: ForeignObject;
  readonly id: string;
  readonly source: SourcePointer;
  readonly time: unknown;
  readonly draft: SessionDraft;
}

/**
 * Conversations in the form of the Anthropic Messages API: a request body, its messages alone, or one message a line.
 */
export const anthropicMessagesImporter: SessionImporter = {
  format: "anthropic-messages",
  detect: detectAnthropicMessages,
  import(source, draft) {
    const conversation = findConversation(source);
    if (conversation === undefined) return { records: 0, system: [], tools: [] };
    const { frame } = conversation;
    draft.startAt(frame.start_time);
    importMessages(conversation, conversationSeed(source.source), draft);
    const model = newestModel(draft.messages) ?? nonEmptyText(frame.model);
    return {
      ...sessionIdOf(frame),
      records: conversation.messages.length,
      system: systemTexts(frame.system ?? frame.system_prompt),
      tools: anthropicTools(frame.tools, draft),
      ...(model !== undefined && { model }),
    };
  },
};

function importMessages({ messages, pointerTo }: FoundConversation, seed: string, draft: SessionDraft): void {
  for (const [index, value] of messages.entries()) {
    const source = pointerTo(index);
    const message = objectOf(value);
    const role = textOf(message?.role);
    const read = READERS.get(role);
    if (message === undefined || role === undefined) draft.reportMalformed(source, "it is no object with a role");
    else if (read === undefined)
      draft.reportMalformed(source, `the role ${role.slice(0, 40).toWellFormed()} is unknown`);
    else
      read({
        message,
        id: `${seed}-${index}`,
        source,
        time: message.x_timestamp ?? message.timestamp ?? message.ts,
        draft,
      });
  }
}

const READERS: ReadonlyMap<unknown, (entry: Entry) => void> = new Map([
  ["user", importUser],
  ["assistant", importAssistant],
  ["system", importSystem],
]);

function importUser({ message, id, source, time, draft }: Entry): void {
  const { results, rest, hasText } = anthropicUserTurn(message.content, draft, source);
  for (const [index, result] of results.entries()) {
    draft.add({ id: index === 0 ? id : `${id}.${index}`, role: "tool", parts: [result], time, source });
  }
  if (results.length > 0 && rest.length === 0) return;
  draft.add({
    id: results.length === 0 ? id : `${id}.rest`,
    role: "user",
    parts: rest,
    // Beside results, media alone were put there by the harness: nobody typed anything.
    ...(results.length > 0 && !hasText && { origin: "harness" as const }),
    time,
    source,
  });
}

function importAssistant({ message, id, source, time, draft }: Entry): void {
  const parts = anthropicAssistantParts(message.content, draft, source);
  const usage = anthropicUsage(message.usage ?? message.x_usage);
  const model = nonEmptyText(message.model);
  const messageId = draft.add({
    id,
    role: "assistant",
    parts,
    ...(model !== undefined && { model }),
    ...(usage && { usage }),
    time,
    source,
    notes: withoutUndefined<JsonObject>({
      stopReason: textOf(message.stop_reason) ?? textOf(message.x_stop_reason),
      responseId: textOf(message.id),
    }),
  });
  const isCompaction = parts.some((part) => part.type === "opaque" && objectOf(part.value)?.type === "compaction");
  if (isCompaction) draft.compactions.push({ messageId, trigger: "server" });
}

function importSystem({ message, id, source, time, draft }: Entry): void {
  draft.add({ id, role: "system", parts: blocksOf(message.content).map(anthropicPart), time, source });
}

/** System text is a string or a list of text blocks. */
function systemTexts(system: unknown): readonly string[] {
  return blocksOf(system).flatMap((block) => {
    const text = textOf(objectOf(block)?.text)?.toWellFormed();
    return text === undefined || text === "" ? [] : [text];
  });
}

function sessionIdOf(frame: ForeignObject): { readonly sessionId?: string } {
  const sessionId = nonEmptyText(frame.session_id) ?? nonEmptyText(frame.sessionId);
  return sessionId === undefined ? {} : { sessionId };
}
