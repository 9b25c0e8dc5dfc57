import type { SummaryChange } from "@threadfold/core";
import { codeWords } from "../llm/answer/code-words.ts";
import { type SpanEvidence, spanEvidence } from "../llm/answer/span-evidence.ts";
import type { SummaryCheck } from "./summary-check.ts";

/**
 * Refuses changes that name an identifier, path or number which stands nowhere in the span or in the summary before:
 * copied exactly, it would. Texts that code writes itself, such as markers of what was left out, are not looked at.
 */
export const identifiersExact: SummaryCheck = Object.freeze({
  name: "invented-identifier",
  problem: ({ request: { messages, previous }, changes }) => {
    const evidence = spanEvidence(messages, new Set(), previous);
    const invented = changes.flatMap((change) => inventedIn(change, evidence));
    return invented.length === 0 ? null : `${invented.length} identifiers, paths or numbers stand nowhere in the span`;
  },
} satisfies SummaryCheck);

function inventedIn(change: SummaryChange, evidence: SpanEvidence): readonly string[] {
  if (change.op !== "add" && change.op !== "supersede") return [];
  const { item } = change;
  switch (change.section) {
    case "identifiers":
      if ("where" in item) return wordsIn(Object.values(item), evidence);
      return "text" in item && !evidence.holds(item.text) ? [item.text] : [];
    case "files":
      return "path" in item && !evidence.holds(item.path) ? [item.path] : [];
    default:
      return wordsIn(Object.values(item), evidence);
  }
}

const wordsIn = (values: readonly unknown[], evidence: SpanEvidence): readonly string[] =>
  values
    .filter((value): value is string => typeof value === "string")
    .flatMap((text) => codeWords(text.replace(MARKER, " ")))
    .filter((word) => !evidence.holds(word));

/** What stands for text that was cut: the word before it may be cut as well. */
const MARKER = /\S*\s?…\S*/g;
