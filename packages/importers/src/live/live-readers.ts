import { isAiSdkMessage, isUi } from "../ai-sdk/ai-sdk-messages.ts";
import { addModelMessage } from "../ai-sdk/model-messages.ts";
import { addUiMessage } from "../ai-sdk/ui-messages.ts";
import { addAnthropicMessages } from "../anthropic-messages/anthropic-messages.ts";
import type { SessionDraft } from "../draft/session-draft.ts";
import { addOpenaiMessages } from "../openai-chat/openai-messages.ts";
import { ResponseTranscript } from "../openai-responses/response-transcript.ts";
import { objectOf } from "../reading/foreign-value.ts";
import type { LiveFormat } from "./live-format.ts";
import type { LiveValue } from "./live-value.ts";

/** Adds the messages of values that follow each other to a draft. */
type ReadValues = (values: readonly LiveValue[], draft: SessionDraft, model: string | undefined) => void;

/** How each format is read: by the functions that its importer has for single messages. */
export const LIVE_READERS: Readonly<Record<LiveFormat, ReadValues>> = {
  "ai-sdk": readAiSdk,
  "anthropic-messages": (values, draft) =>
    addAnthropicMessages({ ...listOf(values), idOf: (_message, index) => values[index]?.id ?? "" }, draft),
  "openai-chat": (values, draft) =>
    addOpenaiMessages({ ...listOf(values), seed: "", idOf: (_message, index) => values[index]?.id ?? "" }, draft),
  "openai-responses": readResponses,
};

const listOf = (values: readonly LiveValue[]) => ({
  messages: values.map(({ value }) => value),
  pointerTo: (index: number) => values[index]?.at ?? { line: 0 },
});

function readAiSdk(values: readonly LiveValue[], draft: SessionDraft): void {
  for (const { value, id, at } of values) {
    const message = objectOf(value);
    const entry = { draft, place: { id, time: message?.createdAt, source: at } };
    if (message === undefined || !isAiSdkMessage(message))
      draft.reportMalformed(at, "it is no message with a known role");
    else if (isUi(message)) addUiMessage(message, entry);
    else addModelMessage(message, entry);
  }
}

function readResponses(values: readonly LiveValue[], draft: SessionDraft, model: string | undefined): void {
  const transcript = new ResponseTranscript(draft);
  transcript.model = model;
  for (const { value, id, at } of values) {
    const item = objectOf(value);
    if (item === undefined) draft.reportMalformed(at, "it is no item");
    else transcript.read(item, { at, id });
  }
  transcript.finish();
}
