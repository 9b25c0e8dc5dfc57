import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { ThreadfoldError } from "@threadfold/core";
import type { MatcherState } from "vitest";
import { compareGoldenPrompt, type GoldenComparison, goldenMode, isAccepted } from "./compare/compare-golden-prompt.ts";
import { describeComparison } from "./compare/describe-comparison.ts";
import { writeDifferencePage } from "./compare/difference-page.ts";
import { obsoleteGoldenPrompts, removeGoldenPrompts } from "./compare/golden-folder.ts";
import type { GoldenPrompt } from "./render/render-golden-prompt.ts";

/** What a matcher returns to vitest. */
interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
  readonly actual?: string;
  readonly expected?: string;
}

/** Returns the matcher; it records the golden prompts that the tests ask for in `used`. */
export const goldenPromptMatcher = (used: UsedPrompts) =>
  function toMatchGoldenPrompt(
    this: MatcherState,
    received: GoldenPrompt | PromiseLike<GoldenPrompt>,
    nameOrPath: string,
  ): Promise<MatcherResult> {
    return withHint(() => matchGoldenPrompt(this, used, received, nameOrPath));
  };

async function matchGoldenPrompt(
  { isNot, testPath, currentTestName, snapshotState }: MatcherState,
  used: UsedPrompts,
  received: GoldenPrompt | PromiseLike<GoldenPrompt>,
  nameOrPath: string,
): Promise<MatcherResult> {
  if (isNot) throw new ThreadfoldError("INVALID_CONFIG", "toMatchGoldenPrompt cannot be negated.");
  if (testPath === undefined)
    throw new ThreadfoldError("INVALID_CONFIG", "toMatchGoldenPrompt is only for use in a test.");
  const folder = promptFolder(nameOrPath, testPath);
  used.take(folder, currentTestName ?? "");
  const mode = goldenMode(process.env, snapshotState.snapshotUpdateState);
  const comparison = await compareGoldenPrompt(await received, { folder, mode });
  if (isAccepted(comparison)) used.accept(comparison);
  const command = `npx vitest run ${shellWord(relative(process.cwd(), testPath))} -u`;
  const page =
    comparison.kind === "different" ? await writeDifferencePage({ comparison, prompt: await received, command }) : null;
  const look = page === null ? "" : `\nBoth prompts side by side: ${pathToFileURL(page)}`;
  return {
    pass: isAccepted(comparison),
    message: () => describeComparison(comparison, { command }) + look,
    ...shownTexts(comparison, await received),
  };
}

/**
 * Does some work, and adds its hint to the message of a typed error: vitest prints the message and where the error comes
 * from, and no other field.
 */
export async function withHint<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!ThreadfoldError.isInstance(error) || error.hint === "" || error.message.endsWith(error.hint)) throw error;
    const { code, message, hint, retryable, details, cause, stack } = error;
    const told = new ThreadfoldError(code, `${message}\n${hint}`, { hint, retryable, details, cause });
    throw Object.assign(told, stack !== undefined && { stack });
  }
}

/** The first changed file, for vitest to show line by line; it is `prompt.md` whenever that differs. */
function shownTexts({ kind, differences, kept }: GoldenComparison, { files }: GoldenPrompt) {
  const changed = differences.find((difference) => difference.kind === "changed");
  if (kind !== "different" || changed === undefined) return {};
  return { actual: files.get(changed.file) ?? "", expected: kept.get(changed.file) ?? "" };
}

const shellWord = (word: string): string => (/^[\w./-]+$/.test(word) ? word : JSON.stringify(word));

/** The folder with the golden prompts of all test files next to it. */
const GOLDENS_FOLDER = "__goldens__";

const NAME = /^\w[\w. -]*(?:\/\w[\w. -]*)*$/;

/** Returns the folder of all golden prompts that a test file keeps by name. */
export const goldensOf = (testPath: string): string => join(dirname(testPath), GOLDENS_FOLDER, basename(testPath));

/**
 * Returns the folder of a golden prompt. A name refers to a folder under `__goldens__/<test file>`; an absolute path,
 * or one that begins with `./` or `../`, is resolved from the test file's folder.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when it is neither a name nor such a path.
 */
export function promptFolder(nameOrPath: string, testPath: string): string {
  if (typeof nameOrPath === "string") {
    if (/^\.\.?[/\\]/.test(nameOrPath) || isAbsolute(nameOrPath)) return resolve(dirname(testPath), nameOrPath);
    if (NAME.test(nameOrPath)) return join(goldensOf(testPath), nameOrPath);
  }
  throw new ThreadfoldError("INVALID_CONFIG", `${JSON.stringify(nameOrPath)} is not a name for a golden prompt.`, {
    hint: "Give a name of letters, digits, spaces and . _ - with / between its parts, or a path that begins with ./ or ../.",
    details: { name: String(nameOrPath) },
  });
}

/** The golden prompts that the tests of one file asked for. */
export class UsedPrompts {
  readonly #testByFolder = new Map<string, string>();
  /** The folders as they are compared: many file systems ignore case. */
  readonly #folderByKey = new Map<string, string>();
  readonly #accepted = new Set<string>();

  get folders(): Iterable<string> {
    return this.#testByFolder.keys();
  }

  /**
   * Records that a test asked for a folder. The same test may ask again, because it may be retried.
   *
   * @throws ThreadfoldError `INVALID_CONFIG` when another test already uses the folder: in an update, the last test
   * would overwrite it.
   */
  take(folder: string, test: string): void {
    const kept = this.#folderByKey.get(folder.toLowerCase()) ?? folder;
    const owner = this.#testByFolder.get(kept) ?? test;
    if (owner !== test) {
      throw new ThreadfoldError(
        "INVALID_CONFIG",
        `Two tests keep their golden prompt in ${folder}: ${owner}, ${test}.`,
        {
          hint: "Give each golden prompt its own name.",
          details: { folder, tests: [owner, test] },
        },
      );
    }
    this.#folderByKey.set(folder.toLowerCase(), kept);
    this.#testByFolder.set(folder, test);
  }

  /**
   * Records a comparison that its test accepts.
   *
   * @throws ThreadfoldError `INVALID_CONFIG` when it replaced a prompt that this run has accepted: tests of one name, or
   * two lines of one test, keep different prompts in one folder, and would do so in turns.
   */
  accept({ folder, kind }: Pick<GoldenComparison, "folder" | "kind">): void {
    if (this.#accepted.has(folder) && (kind === "updated" || kind === "written"))
      throw new ThreadfoldError("INVALID_CONFIG", `Two different prompts were kept in ${folder} in one run.`, {
        hint: "Give each golden prompt its own name.",
        details: { folder },
      });
    this.#accepted.add(folder);
  }
}

/** The state at the end of a test file. */
interface FinishedFile {
  /** The folder of its golden prompts. */
  readonly root: string;
  readonly used: Iterable<string>;
  /** Vitest's snapshot setting. */
  readonly runner: "all" | "new" | "none";
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Finds the golden prompts of a test file that none of its tests asked for, and removes them in an update.
 *
 * @returns a report for people; null when there are none.
 * @throws ThreadfoldError `UNREADABLE_SOURCE` when the folder cannot be read, `OUTPUT_UNWRITABLE` when removing fails.
 */
export async function reportObsolete({ root, used, runner, environment }: FinishedFile): Promise<string | null> {
  const names = await obsoleteGoldenPrompts(root, used);
  if (names.length === 0) return null;
  const isUpdate = goldenMode(environment, runner) === "update";
  if (isUpdate) await removeGoldenPrompts(root, names);
  const list = names.map((name) => `  ${name}`).join("\n");
  return isUpdate
    ? `Obsolete golden prompts were removed from ${root}:\n${list}`
    : `Obsolete golden prompts in ${root}, which no test uses; an update removes them:\n${list}`;
}

/** The part of a vitest test or suite that is needed here. */
export interface RanTask {
  readonly mode: string;
  readonly result?: { readonly state?: string } | undefined;
  readonly tasks?: readonly RanTask[];
}

/**
 * Checks whether every test below a task ran and passed, so that a golden prompt nobody asked for is really obsolete.
 */
export const didAllRun = ({ mode, result, tasks }: RanTask): boolean =>
  tasks === undefined ? mode !== "skip" && mode !== "todo" && result?.state === "pass" : tasks.every(didAllRun);
