import type { JsonObject, Role } from "@threadfold/core";
import { conversationSeed } from "../draft/conversation-seed.ts";
import { newestModel } from "../draft/newest-model.ts";
import type { SessionDraft } from "../draft/session-draft.ts";
import { toolResultContent } from "../draft/tool-result-content.ts";
import { findConversation } from "../reading/find-conversation.ts";
import { type ForeignObject, nonEmptyText, objectOf, textOf, withoutUndefined } from "../reading/foreign-value.ts";
import type { SessionImporter } from "../session-importer.ts";
import type { SourcePointer } from "../source-pointer.ts";
import { detectOpenaiChat } from "./detect-openai-chat.ts";
import { openaiCalls } from "./openai-calls.ts";
import { openaiContentParts, openaiPart, reasoningParts, refusalPart } from "./openai-parts.ts";
import { openaiTools } from "./openai-tools.ts";
import { openaiUsage } from "./openai-usage.ts";

/** One message with what is needed to import it. */
interface Entry {
  readonly message: ForeignObject;
  readonly id: string;
  readonly source: SourcePointer;
  readonly time: unknown;
  readonly provider: string;
  readonly draft: SessionDraft;
}

/**
 * Conversations in the form of the OpenAI Chat Completions API: a request body, its messages alone, one message a
 * line, or trajectories with one thread a line.
 */
export const openaiChatImporter: SessionImporter = {
  format: "openai-chat",
  detect: detectOpenaiChat,
  import(source, draft) {
    const conversation = findConversation(source);
    if (conversation === undefined) return { records: 0, system: [], tools: [] };
    const { frame, messages, pointerTo } = conversation;
    draft.startAt(frame.start_time);
    const provider = nonEmptyText(frame.provider) ?? "openai";
    const seed = conversationSeed(source.source);
    for (const [index, value] of messages.entries()) {
      importMessage(value, `${seed}-${index}`, pointerTo(index), provider, draft);
    }
    const model = newestModel(draft.messages) ?? nonEmptyText(frame.model);
    return {
      records: messages.length,
      system: [],
      tools: openaiTools(frame.tools ?? frame.functions, draft),
      ...(model !== undefined && { model }),
    };
  },
};

function importMessage(value: unknown, id: string, source: SourcePointer, provider: string, draft: SessionDraft): void {
  const message = objectOf(value);
  const role = textOf(message?.role);
  const read = READERS.get(role);
  if (message === undefined || role === undefined) return draft.reportMalformed(source, "it is no object with a role");
  if (read === undefined)
    return draft.reportMalformed(source, `the role ${role.slice(0, 40).toWellFormed()} is unknown`);
  read({ message, id, source, time: message.x_timestamp ?? message.timestamp ?? message.created, provider, draft });
}

const READERS: ReadonlyMap<unknown, (entry: Entry) => void> = new Map([
  ["system", importText("system")],
  ["developer", importText("system")],
  ["user", importText("user")],
  ["assistant", importAssistant],
  ["tool", importResult],
  ["function", importResult],
]);

function importText(role: Role): (entry: Entry) => void {
  return ({ message, id, source, time, draft }) => {
    const notes = withoutUndefined<JsonObject>({
      name: textOf(message.name),
      ...(message.role === "developer" && { role: "developer" }),
    });
    draft.add({ id, role, parts: openaiContentParts(message.content), time, source, notes });
  };
}

function importAssistant({ message, id, source, time, provider, draft }: Entry): void {
  const refusal = refusalPart(message.refusal);
  // Some trajectories keep the raw completion beside the message.
  const completion = objectOf(objectOf(message.extra)?.response);
  const usage = openaiUsage(message.usage ?? message.x_usage ?? completion?.usage);
  const model = nonEmptyText(message.model) ?? nonEmptyText(completion?.model);
  draft.add({
    id,
    role: "assistant",
    parts: [
      ...reasoningParts(message, provider),
      ...openaiContentParts(message.content),
      ...(refusal === undefined ? [] : [refusal]),
      ...openaiCalls(message, draft, source),
    ],
    ...(model !== undefined && { model }),
    ...(usage && { usage }),
    time,
    source,
    notes: withoutUndefined<JsonObject>({
      stopReason: textOf(message.finish_reason) ?? textOf(message.x_finish_reason),
      name: textOf(message.name),
    }),
  });
}

function importResult({ message, id, source, time, draft }: Entry): void {
  const answered = draft.calls.answer(
    message.tool_call_id,
    textOf(message.name),
    `result-${source.line}${source.path ?? ""}`,
  );
  const failed = message.is_error === true || message.isError === true;
  draft.add({
    id,
    role: "tool",
    parts: [
      {
        type: "tool-result",
        result: {
          ...answered,
          outcome: failed ? "failure" : "success",
          content: toolResultContent(message.content, openaiPart),
        },
      },
    ],
    time,
    source,
  });
}
