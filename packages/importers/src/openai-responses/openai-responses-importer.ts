import { newestModel } from "../draft/newest-model.ts";
import { openingOf, seedOf } from "../draft/opening-of.ts";
import { openaiTools } from "../openai-chat/openai-tools.ts";
import { openaiUsage } from "../openai-chat/openai-usage.ts";
import { type ForeignObject, nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SessionImporter } from "../session-importer.ts";
import { detectOpenaiResponses } from "./detect-openai-responses.ts";
import { findItems } from "./response-items.ts";
import { ResponseTranscript } from "./response-transcript.ts";

const RESULT = /_output$/;

/** Bodies of the OpenAI Responses API: the items of a request, of a response, or of both, or a list of items. */
export const openaiResponsesImporter: SessionImporter = {
  format: "openai-responses",
  detect: detectOpenaiResponses,
  import(source, draft) {
    const found = findItems(source);
    if (found === undefined) return { records: 0, system: [], tools: [] };
    const { items, frame } = found;
    draft.startAt(frame.created_at);
    const opening = openingOf(
      source.source,
      frame,
      items.map(({ value }) => value),
      isAnswer,
    );
    const transcript = new ResponseTranscript(draft);
    transcript.model = nonEmptyText(frame.model);
    for (const [index, { value, at }] of items.entries()) {
      const item = objectOf(value);
      if (item === undefined) draft.reportMalformed(at, "it is no item");
      else transcript.read(item, { at, id: `${seedOf(opening)}-${index}` });
    }
    const usage = openaiUsage(frame.usage);
    if (usage !== undefined) transcript.measure(usage);
    transcript.finish();
    const model = newestModel(draft.messages) ?? nonEmptyText(frame.model);
    return {
      opening,
      records: items.length,
      system: systemOf(frame),
      tools: openaiTools(frame.tools, draft),
      ...(model !== undefined && { model }),
    };
  },
};

/** An item that a model made. */
function isAnswer(value: unknown): boolean {
  const item = objectOf(value);
  const type = textOf(item?.type) ?? "message";
  return type === "message" ? item?.role === "assistant" : !RESULT.test(type);
}

function systemOf({ instructions }: ForeignObject): readonly string[] {
  const text = nonEmptyText(instructions)?.toWellFormed();
  return text === undefined ? [] : [text];
}
