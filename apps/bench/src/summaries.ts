import { readFileSync, writeFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import {
  type PolicyPrompt,
  type PromptPolicy,
  presetOffers,
  replayableSession,
  replayPolicy,
  scriptedSummarizer,
} from "@threadfold/simulation";
import { loadSession, type SessionFile, sessionFiles } from "./peers-sessions.ts";
import { refreshedPage, type ShownSummary } from "./summary-page.ts";

/**
 * Prints the summaries of a recorded session for a reader: `NAME` is part of a file's name, or a path;
 * `--preset=threadfold`, `--budget=50000`, and `--fold=10` for the fold to show (the last one by default, or if there
 * are fewer). `--page=docs/summaries.md` instead rewrites the excerpts of all summaries that the page shows.
 */
const value = (name: string): string | undefined =>
  process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
const preset = value("preset") ?? "threadfold";
const page = value("page");
const ROOT = resolve(import.meta.dirname, "../../..");

if (page === undefined) {
  const name = process.argv.slice(2).find((word) => !word.startsWith("--")) ?? "";
  const budgetTokens = Number(value("budget") ?? 50_000);
  const fold = Number(value("fold") ?? Number.POSITIVE_INFINITY);
  process.stdout.write(`${await summaryOf({ name, budgetTokens, fold })}\n`);
} else {
  const path = resolve(ROOT, page);
  writeFileSync(path, await refreshedPage(readFileSync(path, "utf8"), summaryOf));
}

async function summaryOf({ name, budgetTokens, fold }: ShownSummary): Promise<string> {
  const file = sessionNamed(name);
  const session = file === undefined ? null : await loadSession(file);
  if (session === null) return fail(`No recorded session has ${name} in its name.`);
  const summarizer = scriptedSummarizer("extractive");
  const offer = presetOffers(summarizer).find(({ id }) => id === preset);
  if (offer === undefined) return fail(`There is no preset ${preset}.`);
  const replayable = replayableSession(session);
  const summaries: string[] = [];
  await replayPolicy(replayable, listening(offer.policyFor(replayable), summaries), { budgetTokens, summarizer });
  const shown = summaries.slice(0, fold);
  return shown.length === 0
    ? `${basename(session.name)} fits into ${budgetTokens} tokens, or was folded without a summary.`
    : `${basename(session.name)}, ${budgetTokens} tokens, fold ${shown.length} of ${summaries.length}:\n\n${shown.at(-1)}`;
}

/** Returns a file of the recorded sessions, or one of the project's own by its path. */
function sessionNamed(name: string): SessionFile | undefined {
  const path = resolve(ROOT, name);
  return name.startsWith("examples/")
    ? { path, name, size: 0 }
    : sessionFiles().find((file) => file.name.includes(name));
}

/** Wraps a policy so that the summaries of its folds are kept. */
function listening(policy: PromptPolicy, summaries: string[]): PromptPolicy {
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
