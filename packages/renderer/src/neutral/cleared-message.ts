import { type ClearRecord, type Message, type Part, type TextPart, toChatMessage } from "@threadfold/core";
import { clearedCall, clearMarker } from "./cleared-input.ts";
import { clearedResult } from "./cleared-result.ts";
import { derivationByTools } from "./derivation.ts";
import type { Draft } from "./draft.ts";
import { keyDataLines } from "./key-data.ts";
import { mediaMarker } from "./media-marker.ts";
import type { RecallTools } from "./recall-tools.ts";
import { truncateMiddle } from "./truncate-middle.ts";

/** A message that stays where it is with an emptied body; null when nothing of it is left. */
export function clearedMessage(message: Message, record: ClearRecord, recall: RecallTools): Draft | null {
  const parts = clearedParts(message, record, recall);
  if (parts.length === 0) return null;
  const chat = { ...toChatMessage(message), parts, synthetic: "placeholder" } as const;
  return { chat, action: "clear", share: "pointers", record, message, ordinal: message.ordinal };
}

const clearedParts = derivationByTools((message: Message, record: ClearRecord, recall): readonly Part[] => {
  const textsOf = record.targets.includes("text") ? clearedTexts(message, record) : (part: TextPart) => [part];
  return message.parts.flatMap((part): readonly Part[] =>
    part.type === "text" ? textsOf(part) : clearedPart(part, message.ordinal, record, recall),
  );
});

function clearedPart(
  part: Exclude<Part, TextPart>,
  ordinal: number,
  record: ClearRecord,
  recall: RecallTools,
): readonly Part[] {
  const { targets } = record;
  switch (part.type) {
    case "tool-result": {
      const content = clearedResult(part.result, ordinal, record, recall);
      return [content === part.result.content ? part : { ...part, result: { ...part.result, content } }];
    }
    case "tool-call":
      return [targets.includes("tool-input") ? clearedCall(part, clearMarker(record, part)) : part];
    case "reasoning":
      return targets.includes("reasoning") ? [] : [part];
    case "image":
    case "file":
      return [targets.includes("media") ? mediaMarker(part, "cleared") : part];
    case "opaque":
      return [part];
  }
}

/** Truncates each text, or puts one marker where the first text stood. */
function clearedTexts(
  message: Message,
  { keep, preservedFields }: ClearRecord,
): (part: TextPart) => readonly TextPart[] {
  if (keep !== undefined) return (part) => [{ type: "text", text: truncateMiddle(part.text, keep) }];
  const texts = message.parts.filter((part) => part.type === "text");
  const size = texts.reduce((sum, part) => sum + part.text.length, 0);
  const text = [...keyDataLines(preservedFields), `[cleared: ${size} characters]`].join("\n");
  return (part) => (part === texts[0] ? [{ type: "text", text }] : []);
}
