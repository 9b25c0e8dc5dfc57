import type { TextPart } from "@threadfold/core";
import type { ResponsesMessage, ResponsesOutputMessage, ResponsesPhase } from "../wire-types.ts";
import { openaiMetadata } from "./item-ids.ts";

/** A text of the model is a message: as it came where its id is kept, else in the short form, which needs none. */
export function lowerAssistantText(part: TextPart, id: string | undefined): ResponsesMessage | ResponsesOutputMessage {
  const { text } = part;
  const metadata = openaiMetadata(part);
  const phase = phaseOf(metadata?.["phase"]);
  if (id === undefined) return { type: "message", role: "assistant", content: text, ...phase };
  const annotations = metadata?.["annotations"];
  const content =
    metadata?.["refusal"] === true
      ? ({ type: "refusal", refusal: text } as const)
      : ({ type: "output_text", text, annotations: Array.isArray(annotations) ? annotations : [] } as const);
  return { type: "message", id, role: "assistant", status: "completed", content: [content], ...phase };
}

function phaseOf(phase: unknown): { readonly phase?: ResponsesPhase } {
  return phase === "commentary" || phase === "final_answer" ? { phase } : {};
}
