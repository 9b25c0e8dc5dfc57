import type { MessageId, Part } from "@threadfold/core";
import { opaquePart } from "../draft/opaque-part.ts";
import { responseParts } from "../openai-responses/response-content.ts";
import {
  type CompactionNotes,
  contentKey,
  type ItemPlace,
  type ResponseTranscript,
} from "../openai-responses/response-transcript.ts";
import { type ForeignObject, listOf, nonEmptyText, objectOf } from "../reading/foreign-value.ts";

/**
 * A `compacted` line: Codex replaced its history by `replacement_history`, or, in older versions, by a summary and
 * newer user messages. It becomes one message of what was new in it: the summary, and what of the replacement is
 * nowhere in the log before. What the replacement repeats word for word is named in `details.kept`.
 */
export function readCompaction(
  payload: ForeignObject,
  place: ItemPlace,
  transcript: ResponseTranscript,
  tokensBefore: number | undefined,
): void {
  const summary = nonEmptyText(payload.message);
  const replacement = (listOf(payload.replacement_history) ?? []).map(partsOfItem);
  const ids = transcript.idsByContent();
  const kept = new Set<MessageId>();
  const added: Part[] = [];
  for (const parts of replacement) {
    const id = ids.get(contentKey(parts) ?? "");
    if (id !== undefined) kept.add(id);
    else added.push(...parts);
  }
  // The replacement holds the summary as the model reads it, behind words of introduction.
  const isSaid = added.some((part) => part.type === "text" && summary !== undefined && part.text.includes(summary));
  if (summary !== undefined && !isSaid) added.unshift({ type: "text", text: summary });
  const notes: CompactionNotes = {
    ...(tokensBefore !== undefined && { tokensBefore }),
    ...(payload.replacement_history !== undefined && {
      details: { replacedBy: replacement.length, kept: [...kept] },
    }),
  };
  transcript.addCompaction(added.length > 0 ? added : (replacement.at(-1) ?? []), place, notes);
}

/** What an item shows the model. An item that only the provider can read goes along as it is. */
function partsOfItem(value: unknown): readonly Part[] {
  const item = objectOf(value);
  const isMessage = item !== undefined && (item.type === "message" || item.type === undefined);
  return isMessage ? responseParts(item.content) : [opaquePart("openai", value)];
}
