import {
  type ExternalizationRecord,
  READ_ARTIFACT_TOOL_NAME,
  type SummaryRole,
  spanIdsInMemory,
  type ToolDefinition,
} from "@threadfold/core";
import type { Draft } from "./draft.ts";
import { derivedDraft, type MadeMessage, madeDraft } from "./made-draft.ts";
import { END_OF_HISTORY, framedSummary } from "./summary-frame.ts";

/** First line of everything that points to an artifact. */
export const pointerHeader = ({ artifactId }: ExternalizationRecord): string =>
  `[Externalized Content - artifact:${artifactId}]`;

/** True when the model has a tool to read artifacts with. A prompt tells it to call nothing that it has not. */
export const canReadArtifacts = (tools: readonly ToolDefinition[]): boolean =>
  tools.some(({ name }) => name === READ_ARTIFACT_TOOL_NAME);

/** Says how to read an artifact back; nothing where the model cannot. The header names the artifact in any case. */
export const retrievalLines = ({ artifactId }: ExternalizationRecord, canRead: boolean): readonly string[] =>
  canRead ? [`To retrieve full content, call: ${READ_ARTIFACT_TOOL_NAME}("${artifactId}")`] : [];

const pointerDraft = derivedDraft((record: ExternalizationRecord, canRead: boolean) =>
  [
    pointerHeader(record),
    `Summary: ${framedSummary(record.summary)}`,
    ...retrievalLines(record, canRead),
    END_OF_HISTORY,
  ].join("\n"),
);

/** The message that stands for an externalized span (seed 002), at the place of the span's first message. */
export function pointerMessage(
  record: ExternalizationRecord,
  ordinal: number,
  { role, canRead }: { readonly role: SummaryRole; readonly canRead: boolean },
): readonly Draft[] {
  const made: Omit<MadeMessage, "role"> = {
    synthetic: "pointer",
    action: "externalize",
    share: "pointers",
    ordinal,
    record,
  };
  const sources = spanIdsInMemory(record.span);
  if (role !== "pair") return [pointerDraft(record, canRead, { ...made, role, sources })];
  const question = `What is in artifact ${record.artifactId}?`;
  return [
    madeDraft(question, { ...made, role: "user" }),
    pointerDraft(record, canRead, { ...made, role: "assistant", sources }),
  ];
}
