import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readRules } from "@threadfold/core";

/** The label that a person gave a sentence. */
export type RuleLabel = "rule" | "not" | "candidate" | "retraction";

export interface LabelledSentence {
  readonly language: string;
  readonly label: RuleLabel;
  readonly text: string;
}

/** How well sentences were read. Precision and recall are for rules, as shares from 0 to 1. */
export interface RuleScore {
  readonly precision: number;
  readonly recall: number;
  /** Share of the retractions that were recognized. */
  readonly retractions: number;
  /** Number of sentences that got the label a person gave them. */
  readonly right: number;
  readonly sentences: number;
  readonly wrong: readonly (LabelledSentence & { readonly read: RuleLabel })[];
}

/**
 * Reads the sentences of one half, one per line: language, label and text, separated by tabs, with `\\n` for line
 * breaks in the text.
 */
export function readSentences(half: "tuning" | "held-out"): readonly LabelledSentence[] {
  const file = join(import.meta.dirname, "../rules", `${half}.tsv`);
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [language = "", label = "", text = ""] = line.split("\t");
      return { language, label: label as RuleLabel, text: text.replaceAll("\\n", "\n") };
    });
}

export function scoreOf(sentences: readonly LabelledSentence[]): RuleScore {
  const read = sentences.map((sentence) => ({ ...sentence, read: labelOf(sentence.text) }));
  const count = (test: (one: (typeof read)[number]) => boolean): number => read.filter(test).length;
  const found = count(({ label, read: as }) => label === "rule" && as === "rule");
  const share = (part: number, whole: number): number => (whole === 0 ? 1 : part / whole);
  return {
    precision: share(
      found,
      count(({ read: as }) => as === "rule"),
    ),
    recall: share(
      found,
      count(({ label }) => label === "rule"),
    ),
    retractions: share(
      count(({ label, read: as }) => label === "retraction" && as === label),
      count(({ label }) => label === "retraction"),
    ),
    right: count(({ label, read: as }) => label === as),
    sentences: sentences.length,
    wrong: read.filter(({ label, read: as }) => label !== as),
  };
}

/** Returns how the detector reads a single sentence. */
function labelOf(text: string): RuleLabel {
  const kinds = new Set(readRules(text).map(({ kind }) => kind));
  if (kinds.has("rule")) return "rule";
  if (kinds.has("retraction")) return "retraction";
  return kinds.has("candidate") ? "candidate" : "not";
}
