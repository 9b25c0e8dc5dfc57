import {
  type ExternalizationRecord,
  type Message,
  type Part,
  type StructuredSummary,
  type ToolResultPart,
  toolResultText,
} from "@threadfold/core";
import { clearedCall } from "./cleared-input.ts";
import { derivation } from "./derivation.ts";
import type { Draft } from "./draft.ts";
import { escapeLookAlikes } from "./escape-look-alikes.ts";
import { keyDataLines } from "./key-data.ts";
import { pointerHeader, retrievalLine } from "./pointer-message.ts";
import { singleLine } from "./single-line.ts";
import { toolOutcome } from "./tool-outcome-line.ts";

const MAX_KEY_LINE = 160;

/** A message that stays where it is while its large body is in the artifact store and a short pointer stands for it. */
export function externalizedBody(message: Message, record: ExternalizationRecord): Draft {
  const chat = {
    role: message.role,
    parts: externalizedParts(message, record),
    sources: [message.id],
    synthetic: "pointer",
  } as const;
  return { chat, action: "externalize", share: "pointers", record, message, ordinal: message.ordinal };
}

const externalizedParts = derivation((message: Message, record: ExternalizationRecord): readonly Part[] => {
  const [first] = message.parts;
  if (first?.type === "tool-result") return [pointerResult(first, record)];
  const pointed = message.parts.find((part) => part.type === "text" || part.type === "image" || part.type === "file");
  const marker = (text: string): string => `[in artifact ${record.artifactId}: ${text.length} characters]`;
  return message.parts.flatMap((part): readonly Part[] => {
    if (part === pointed)
      return [{ type: "text", text: pointerText(record, `${message.role} message`, textSize(message)) }];
    if (part.type === "tool-call") return [clearedCall(part, marker)];
    return part.type === "reasoning" || part.type === "opaque" ? [part] : [];
  });
});

function pointerResult(part: ToolResultPart, record: ExternalizationRecord): ToolResultPart {
  const { result } = part;
  const text = pointerText(record, toolOutcome(result), toolResultText(result.content).length);
  return { ...part, result: { ...result, content: { type: "text", text } } };
}

function pointerText(record: ExternalizationRecord, what: string, size: number): string {
  return [
    pointerHeader(record),
    `${what}; ${size} characters`,
    ...keyLines(record.summary),
    retrievalLine(record),
  ].join("\n");
}

/** What the artifact holds, in a line or two: declared key fields and the error, else the first fact. */
function keyLines({ toolOutcomes: [outcome], facts: [fact] }: StructuredSummary): readonly string[] {
  if (outcome !== undefined) {
    const error = outcome.errorMessage === null ? [] : [contentLine(`Error: ${outcome.errorMessage}`)];
    return [...keyDataLines(outcome.keyFields), ...error];
  }
  return fact === undefined ? [] : [contentLine(fact.text)];
}

const contentLine = (text: string): string => escapeLookAlikes(singleLine(text, MAX_KEY_LINE));

function textSize(message: Message): number {
  return message.parts.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
}
