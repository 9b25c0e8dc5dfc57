import {
  type PolicyPrompt,
  type PromptPolicy,
  presetOffers,
  replayPolicy,
  replayScene,
  scriptedSummarizer,
} from "@threadfold/simulation";
import { loadSession, sessionFiles } from "./peers-sessions.ts";

/**
 * Prints what a recorded session's summaries say, for a reader: `NAME` is part of a file's name, `--preset=threadfold`,
 * `--budget=50000`, `--fold=10` the fold to look at (the last one when there are fewer, or without it).
 */
const value = (name: string): string | undefined =>
  process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
const wanted = process.argv.slice(2).find((word) => !word.startsWith("--")) ?? "";
const preset = value("preset") ?? "threadfold";
const budgetTokens = Number(value("budget") ?? 50_000);
const fold = Number(value("fold") ?? Number.POSITIVE_INFINITY);

const file = sessionFiles().find(({ name }) => name.includes(wanted));
const session = file === undefined ? null : await loadSession(file);
if (file === undefined || session === null) fail(`No recorded session has ${wanted} in its name.`);
const summarizer = scriptedSummarizer("extractive");
const offer = presetOffers(summarizer).find(({ id }) => id === preset);
if (offer === undefined) fail(`There is no preset ${preset}.`);

const scene = replayScene(session);
const summaries: string[] = [];
await replayPolicy(scene, listening(offer.policyFor(scene)), { budgetTokens, summarizer });
const shown = summaries.slice(0, fold);
process.stdout.write(
  shown.length === 0
    ? `${session.name} fits into ${budgetTokens} tokens, or was folded without a summary.\n`
    : `${session.name}, ${budgetTokens} tokens, fold ${shown.length} of ${summaries.length}:\n\n${shown.at(-1)}\n`,
);

/** The same policy, whose folds are kept. */
function listening(policy: PromptPolicy): PromptPolicy {
  const keep = ({ messages, committed }: PolicyPrompt): void => {
    const written = messages.filter(({ text }) => text.includes("[Summary v")).map(({ text }) => text);
    if (committed && written.length > 0) summaries.push(written.join("\n\n"));
  };
  return {
    id: policy.id,
    begin: async (told) => {
      const run = await policy.begin(told);
      return {
        prompt: async (added, at) => {
          const prompt = await run.prompt(added, at);
          keep(prompt);
          return prompt;
        },
        end: () => run.end(),
      };
    },
  };
}

function fail(problem: string): never {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
