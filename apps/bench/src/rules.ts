import { type RuleScore, readSentences, scoreOf } from "./rule-score.ts";

/**
 * Measures how well the rule detector reads what users write: on labeled sentences in `rules/`, one half that the
 * detector was tuned on and one that it was not. Prints precision and recall of rules by half and language; `--misses`
 * lists what was read wrong in the tuning half, and with `--held-out` in the other half too; `--json` prints one line
 * for the held-out half.
 */
const json = process.argv.includes("--json");
const misses = process.argv.includes("--misses");
const HALVES = ["tuning", "held-out"] as const;

for (const half of HALVES) {
  const sentences = readSentences(half);
  if (json) {
    if (half !== "held-out") continue;
    const { precision, recall } = scoreOf(sentences);
    process.stdout.write(`${JSON.stringify({ precision, recall, sentences: sentences.length })}\n`);
    continue;
  }
  process.stdout.write(`${lineOf(half, scoreOf(sentences))}\n`);
  for (const language of new Set(sentences.map(({ language: one }) => one)))
    process.stdout.write(`${lineOf(`  ${language}`, scoreOf(sentences.filter((one) => one.language === language)))}\n`);
  if (!misses || (half === "held-out" && !process.argv.includes("--held-out"))) continue;
  for (const { language, label, read, text } of scoreOf(sentences).wrong)
    process.stdout.write(`    ${language}  is ${label}, read as ${read}: ${JSON.stringify(text)}\n`);
}

function lineOf(name: string, { precision, recall, retractions, right, sentences }: RuleScore): string {
  const share = (part: number): string => `${(100 * part).toFixed(1)} %`.padStart(8);
  return `${name.padEnd(10)} precision${share(precision)}  recall${share(recall)}  retractions${share(retractions)}  labels right${share(right / sentences)} of ${sentences}`;
}
