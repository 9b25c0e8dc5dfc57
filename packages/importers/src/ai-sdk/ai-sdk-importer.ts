import { isAssistantMessage } from "../reading/find-conversation.ts";
import { nonEmptyText, objectOf } from "../reading/foreign-value.ts";
import type { SourceRecords } from "../reading/source-records.ts";
import { newestModel } from "../session/session-draft.ts";
import { openingOf, seedOf } from "../session/session-ids.ts";
import type { SessionImporter } from "../session/session-importer.ts";
import {
  addModelMessage,
  addUiMessage,
  findAiSdkMessages,
  isAiSdkMessage,
  isUi,
  isUnmistakable,
  laterForm,
  mayBeAiSdk,
} from "./ai-sdk-messages.ts";
import { aiSdkSystem } from "./ai-sdk-parts.ts";

/** How many messages from the start are examined: a conversation reveals its form early. */
const SAMPLE = 200;

/** Messages of the Vercel AI SDK: `ModelMessage[]` as it sends them, and `UIMessage[]` as programs store them. */
export const aiSdkImporter: SessionImporter = {
  format: "ai-sdk",
  detect: detectAiSdk,
  import(source, draft) {
    const found = findAiSdkMessages(source);
    if (found === undefined) return { records: 0, system: [], tools: [] };
    const { messages, frame } = found;
    const opening = openingOf(
      source.source,
      frame,
      messages.map(({ value }) => value),
      isAssistantMessage,
    );
    for (const [index, { value, at }] of messages.entries()) {
      const written = objectOf(value);
      if (written === undefined || !isAiSdkMessage(written)) {
        draft.reportMalformed(at, "it is not a message with a known role");
        continue;
      }
      const message = laterForm(written);
      const id = nonEmptyText(message.id) ?? `${seedOf(opening)}-${index}`;
      const time = message.createdAt ?? objectOf(message.metadata)?.createdAt;
      const entry = { draft, place: { id, time, source: at } };
      if (isUi(message)) addUiMessage(message, entry);
      else addModelMessage(message, entry);
    }
    const model = newestModel(draft.messages) ?? nonEmptyText(frame.model)?.toWellFormed();
    return {
      opening,
      records: messages.length,
      system: aiSdkSystem(frame.instructions ?? frame.system),
      tools: [],
      ...(model !== undefined && { model }),
    };
  },
};

/**
 * Returns the confidence, from 0 to 1, that the source contains messages of the AI SDK: plain texts alone fit other
 * APIs just as well.
 */
function detectAiSdk(source: SourceRecords): number {
  const sample = findAiSdkMessages(source)?.messages.slice(0, SAMPLE) ?? [];
  if (sample.some(({ value }) => isUnmistakable(value))) return 1;
  return sample.length > 0 && sample.every(({ value }) => mayBeAiSdk(value)) ? 0.3 : 0;
}
