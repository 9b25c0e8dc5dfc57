import {
  type BodyPreview,
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
import { pointerHeader, retrievalLines } from "./pointer-message.ts";
import { singleLine } from "./single-line.ts";
import { toolOutcome } from "./tool-outcome-line.ts";

const MAX_KEY_LINE = 160;

/** A message that stays where it is while its large body is in the artifact store and a short pointer stands for it. */
export function externalizedBody(message: Message, record: ExternalizationRecord, canRead: boolean): Draft {
  const chat = {
    role: message.role,
    parts: (canRead ? partsWithTool : partsWithoutTool)(message, record),
    sources: [message.id],
    synthetic: "pointer",
  } as const;
  return { chat, action: "externalize", share: "pointers", record, message, ordinal: message.ordinal };
}

const partsWithTool = derivation((message: Message, record: ExternalizationRecord) =>
  externalizedParts(message, record, true),
);
const partsWithoutTool = derivation((message: Message, record: ExternalizationRecord) =>
  externalizedParts(message, record, false),
);

function externalizedParts(message: Message, record: ExternalizationRecord, canRead: boolean): readonly Part[] {
  const [first] = message.parts;
  if (first?.type === "tool-result") return [pointerResult(first, record, canRead)];
  const pointed = message.parts.find((part) => part.type === "text" || part.type === "image" || part.type === "file");
  const marker = (text: string): string => `[in artifact ${record.artifactId}: ${text.length} characters]`;
  return message.parts.flatMap((part): readonly Part[] => {
    if (part === pointed) {
      const what = `${message.role} message; ${textSize(message)} characters`;
      return [{ type: "text", text: pointerText(record, what, keyLines(record.summary), canRead) }];
    }
    if (part.type === "tool-call") return [clearedCall(part, marker)];
    return part.type === "reasoning" || part.type === "opaque" ? [part] : [];
  });
}

function pointerResult(part: ToolResultPart, record: ExternalizationRecord, canRead: boolean): ToolResultPart {
  const { result } = part;
  const body = toolResultText(result.content);
  const what = `${toolOutcome(result)}; ${body.length} characters`;
  const { preview } = record;
  const text =
    preview === undefined
      ? pointerText(record, what, keyLines(record.summary), canRead)
      : pointerText(
          record,
          `${what}, of which the beginning and the end are shown`,
          previewLines(body, preview),
          canRead,
        );
  return { ...part, result: { ...result, content: { type: "text", text } } };
}

const pointerText = (record: ExternalizationRecord, what: string, lines: readonly string[], canRead: boolean): string =>
  [pointerHeader(record), what, ...lines, ...retrievalLines(record, canRead)].join("\n");

/** The two ends of a body around what is left out. It is data: nothing in it can look like a frame of ours. */
function previewLines(body: string, { headCharacters, tailCharacters, leftOutTokens }: BodyPreview): readonly string[] {
  const head = body.slice(0, headCharacters);
  const tail = tailCharacters === 0 ? "" : body.slice(-tailCharacters);
  return [head, `[… ${leftOutTokens} tokens left out …]`, tail]
    .filter((piece) => piece !== "")
    .map((piece) => escapeLookAlikes(piece).toWellFormed());
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
