import type { Message, ThreadEntry } from "@threadfold/core";
import { isEnvelope } from "./sealed-envelope.ts";

/** A text that was sealed, and where it belongs within its thread. */
export interface SealedText {
  readonly kind: string;
  readonly id: string;
  readonly envelope: string;
}

/** What is sealed of an entry as a store has it; null for an entry that was never sealed. */
export function sealedTextOf(entry: ThreadEntry): SealedText | null {
  const text = textIn(entry);
  return isEnvelope(text.envelope) ? text : null;
}

function textIn(entry: ThreadEntry): SealedText {
  switch (entry.type) {
    case "message":
      return { kind: "message", id: entry.message.id, envelope: envelopeIn(entry.message) };
    case "pin":
      return { kind: "pin", id: entry.pin.id, envelope: entry.pin.text };
    case "pin-lifted":
      return { kind: "pin-lifted", id: entry.pinId, envelope: entry.reason };
  }
}

/** Where a sealed message has its envelope: in its only part. */
export function envelopeIn({ parts: [part] }: Message): string {
  if (part?.type === "text") return part.text;
  return part?.type === "tool-result" && part.result.content.type === "text" ? part.result.content.text : "";
}
