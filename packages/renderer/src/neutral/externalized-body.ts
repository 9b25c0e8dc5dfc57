import {
  type ExternalizationRecord,
  type Message,
  type Part,
  READ_ARTIFACT_TOOL_NAME,
  type StructuredSummary,
  type ToolResultEnvelope,
  type ToolResultPart,
  toolResultText,
} from "@threadfold/core";
import type { RehydratedContent } from "../input/render-input.ts";
import { clearedCall } from "./cleared-message.ts";
import { type Draft, madeDraft } from "./draft.ts";
import { escapeLookAlikes } from "./look-alikes.ts";
import { pointerHeader } from "./pointer-message.ts";
import { derivationByTools, type RecallTools, retrievalLines } from "./recall-tools.ts";
import { keyDataLines, previewLines, singleLine, toolOutcome } from "./result-lines.ts";

const MAX_KEY_LINE = 160;

/**
 * Drafts a message that keeps its position while its large body is in the artifact store, replaced by a short pointer.
 */
export function externalizedBody(message: Message, record: ExternalizationRecord, recall: RecallTools): Draft {
  const chat = {
    role: message.role,
    parts: externalizedParts(message, record, recall),
    sources: [message.id],
    synthetic: "pointer",
  } as const;
  return { chat, action: "externalize", share: "pointers", record, message, ordinal: message.ordinal };
}

const externalizedParts = derivationByTools(
  (message: Message, record: ExternalizationRecord, recall): readonly Part[] => {
    const [first] = message.parts;
    if (first?.type === "tool-result") return [pointerResult(first, message.ordinal, record, recall)];
    const pointed = message.parts.find((part) => part.type === "text" || part.type === "image" || part.type === "file");
    const marker = (text: string): string => `[in artifact ${record.artifactId}: ${text.length} characters]`;
    return message.parts.flatMap((part): readonly Part[] => {
      if (part === pointed) {
        const what = `${message.role} message; ${textSize(message)} characters`;
        return [{ type: "text", text: pointerText(record, what, keyLines(record.summary), recall) }];
      }
      if (part.type === "tool-call") return [clearedCall(part, marker)];
      return part.type === "reasoning" || part.type === "opaque" ? [part] : [];
    });
  },
);

function pointerResult(
  part: ToolResultPart,
  ordinal: number,
  record: ExternalizationRecord,
  recall: RecallTools,
): ToolResultPart {
  const { result } = part;
  const { preview, artifactId, summary } = record;
  const text =
    preview === undefined
      ? pointerText(record, pointedOutcome(result), keyLines(summary), recall)
      : [pointerHeader(record), ...previewLines(result, preview, { ordinal, artifactId }, recall)].join("\n");
  return { ...part, result: { ...result, content: { type: "text", text } } };
}

const pointedOutcome = (result: ToolResultEnvelope): string =>
  `${toolOutcome(result)}; ${toolResultText(result.content).length} characters`;

const pointerText = (
  record: ExternalizationRecord,
  what: string,
  lines: readonly string[],
  recall: RecallTools,
): string => [pointerHeader(record), what, ...lines, ...retrievalLines(record.artifactId, recall)].join("\n");

/** Summarizes the artifact in a line or two: declared key fields and the error, else the first fact. */
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

/** Drafts externalized content that is shown for this request only. It is data: nothing in it can end its frame. */
export function rehydratedMessage(
  { artifactId, content, truncated }: RehydratedContent,
  ordinal: number,
  canRead: boolean,
): Draft {
  const rest = canRead ? `; the rest: ${READ_ARTIFACT_TOOL_NAME}("${artifactId}")` : "; the rest is left out";
  const text = [
    `[Rehydrated Content - artifact:${artifactId}]`,
    escapeLookAlikes(content.toWellFormed()),
    truncated ? `[End of this piece${rest}]` : "[End of content]",
  ].join("\n");
  return madeDraft(text, {
    role: "user",
    synthetic: "rehydration",
    action: "rehydration",
    share: "rehydrated",
    ordinal,
  });
}
