import { type ExternalizationRecord, type SummaryRole, spanIdsInMemory } from "@threadfold/core";
import { type Draft, derivedDraft, type MadeMessage, madeDraft } from "./draft.ts";
import { type RecallTools, retrievalLines } from "./recall-tools.ts";
import { END_OF_HISTORY, framedSummary } from "./summary-message.ts";

/**
 * Returns the first line of every pointer to an artifact. It names the artifact whether or not the model can read it.
 */
export const pointerHeader = ({ artifactId }: ExternalizationRecord): string =>
  `[Externalized Content - artifact:${artifactId}]`;

const pointerDraft = derivedDraft((record: ExternalizationRecord, recall: RecallTools) =>
  [
    pointerHeader(record),
    `Summary: ${framedSummary(record.summary)}`,
    ...retrievalLines(record.artifactId, recall),
    END_OF_HISTORY,
  ].join("\n"),
);

/** Returns the message that replaces an externalized span, at the position of the span's first message. */
export function pointerMessage(
  record: ExternalizationRecord,
  ordinal: number,
  { role, recall }: { readonly role: SummaryRole; readonly recall: RecallTools },
): readonly Draft[] {
  const made: Omit<MadeMessage, "role"> = {
    synthetic: "pointer",
    action: "externalize",
    share: "pointers",
    ordinal,
    record,
  };
  const sources = spanIdsInMemory(record.span);
  if (role !== "pair") return [pointerDraft(record, recall, { ...made, role, sources })];
  const question = `What is in artifact ${record.artifactId}?`;
  return [
    madeDraft(question, { ...made, role: "user" }),
    pointerDraft(record, recall, { ...made, role: "assistant", sources }),
  ];
}
