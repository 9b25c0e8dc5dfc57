import type { SummarizeRequest, SummaryChange } from "@threadfold/core";
import { codeWords } from "../llm/answer/code-words.ts";
import { type SpanEvidence, spanEvidence } from "../llm/answer/span-evidence.ts";
import { isInvented, namesIn } from "../llm/answer/unknown-names.ts";
import type { SummaryCheck } from "./summary-check.ts";

/**
 * Refuses changes that name an identifier, path or number which stands nowhere in the span or in the summary before:
 * copied exactly, it would; and a narrative of which most names do. Texts that code writes itself, such as markers of what was left out, are not looked at.
 */
export const identifiersExact: SummaryCheck = Object.freeze({
  name: "invented-identifier",
  problem: ({ request, changes }) => {
    const evidence = spanEvidence(request.messages, new Set(), request.previous);
    const invented = changes.flatMap((change) =>
      change.op === "set-narrative"
        ? inventedNames(change.narrative.text, request, evidence)
        : inventedIn(change, evidence),
    );
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

/** Prose has its own spellings: it is refused only when most of its names are nobody's. */
function inventedNames(text: string, request: SummarizeRequest, evidence: SpanEvidence): readonly string[] {
  const names = namesIn(text.replace(MARKER, " "), request, evidence);
  return isInvented(names) ? names.unknown : [];
}

const wordsIn = (values: readonly unknown[], evidence: SpanEvidence): readonly string[] =>
  values
    .filter((value): value is string => typeof value === "string")
    .flatMap((text) => codeWords(text.replace(MARKER, " ")))
    .filter((word) => !evidence.holds(word));

/** What stands for text that was cut: the word before it may be cut as well. */
const MARKER = /\S*\s?…\S*/g;
