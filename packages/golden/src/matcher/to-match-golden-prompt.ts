import { relative } from "node:path";
import { ThreadfoldError } from "@threadfold/core";
import type { MatcherState } from "vitest";
import { compareGoldenPrompt, type GoldenComparison, isAccepted } from "../compare/compare-golden-prompt.ts";
import { describeComparison } from "../compare/describe-comparison.ts";
import { goldenMode } from "../compare/golden-mode.ts";
import type { GoldenPrompt } from "../golden-prompt.ts";
import { promptFolder } from "./prompt-folder.ts";
import type { UsedPrompts } from "./used-prompts.ts";

/** What a matcher says to vitest. */
interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
  readonly actual?: string;
  readonly expected?: string;
}

/** Makes the matcher; what the tests ask for is noted in `used`. */
export const goldenPromptMatcher = (used: UsedPrompts) =>
  async function toMatchGoldenPrompt(
    this: MatcherState,
    received: GoldenPrompt | PromiseLike<GoldenPrompt>,
    nameOrPath: string,
  ): Promise<MatcherResult> {
    const { isNot, testPath, currentTestName, snapshotState } = this;
    if (isNot) throw new ThreadfoldError("INVALID_CONFIG", "toMatchGoldenPrompt has no negation.");
    if (testPath === undefined) throw new ThreadfoldError("INVALID_CONFIG", "toMatchGoldenPrompt stands in a test.");
    const folder = promptFolder(nameOrPath, testPath);
    used.take(folder, currentTestName ?? "");
    const mode = goldenMode(process.env, snapshotState.snapshotUpdateState);
    const comparison = await compareGoldenPrompt(await received, { folder, mode });
    const command = `npx vitest run ${shellWord(relative(process.cwd(), testPath))} -u`;
    return {
      pass: isAccepted(comparison),
      message: () => describeComparison(comparison, { command }),
      ...shownTexts(comparison, await received),
    };
  };

/** The first changed file, which is the page whenever that differs, for vitest to show line by line. */
function shownTexts({ kind, differences, kept }: GoldenComparison, { files }: GoldenPrompt) {
  const changed = differences.find((difference) => difference.kind === "changed");
  if (kind !== "different" || changed === undefined) return {};
  return { actual: files.get(changed.file) ?? "", expected: kept.get(changed.file) ?? "" };
}

const shellWord = (word: string): string => (/^[\w./-]+$/.test(word) ? word : JSON.stringify(word));
