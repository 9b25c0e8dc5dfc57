import { checkOptions, ThreadfoldError } from "@threadfold/core";
import { COMMON_FILES } from "../render/golden-files.ts";
import type { GoldenPrompt } from "../render/render-golden-prompt.ts";
import { type GoldenDivergence, goldenDivergence } from "../trace/golden-divergence.ts";
import { parseTrace } from "../trace/prompt-trace.ts";
import { changeGoldenFolder, readGoldenFolder } from "./golden-folder.ts";

/** Where a golden prompt is kept, and what may be written there. */
export interface CompareOptions {
  /** The folder of this golden prompt, not shared with any other. */
  readonly folder: string;
  /** Taken from the environment by default: `THREADFOLD_UPDATE_GOLDENS` updates, `CI` only checks, otherwise `new`. */
  readonly mode?: GoldenMode;
}

/** The outcome of comparing a prompt with the golden prompt in a folder. */
export interface GoldenComparison {
  /**
   * `equal`: every file matches the kept one. `written`: the golden prompt, or some of its files, did not exist and
   * were written. `updated`: the files that differed were replaced. `missing`: there is no golden prompt, and writing
   * one is not allowed. `different`: the prompt differs from the golden one.
   */
  readonly kind: "equal" | "written" | "updated" | "missing" | "different";
  readonly folder: string;
  readonly mode: GoldenMode;
  /** The differences before anything was written. */
  readonly differences: readonly GoldenDifference[];
  /** Where the prompt diverges from the golden one; null when it only extends it, or when no trace is kept. */
  readonly divergence: GoldenDivergence | null;
  /** The kept files before any update, by name, to show next to the current ones. */
  readonly kept: ReadonlyMap<string, string>;
}

/** Checks whether a test should accept the outcome of a comparison. */
export const isAccepted = ({ kind }: GoldenComparison): boolean => kind !== "missing" && kind !== "different";

/**
 * Compares a prompt with the golden one in a folder, and writes what the mode allows. Works with any test runner.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when the prompt, the folder or the mode is invalid, `UNREADABLE_SOURCE` when
 * the golden files cannot be read, `OUTPUT_UNWRITABLE` when they cannot be written.
 */
export async function compareGoldenPrompt(prompt: GoldenPrompt, options: CompareOptions): Promise<GoldenComparison> {
  checkOptions("options", options, { folder: "any", mode: "any" });
  const { folder, mode = goldenMode(process.env) } = options;
  requireSensible(prompt, folder, mode);
  const kept = await readGoldenFolder(folder);
  const differences = goldenDifferences(kept, prompt.files);
  const golden = parseTrace(kept.get(COMMON_FILES.trace));
  const divergence = golden === null ? null : goldenDivergence(golden, prompt.trace);
  const kind = outcomeOf(differences, kept.size === 0, mode);
  if (kind === "written" || kind === "updated") {
    const names = differences.filter((difference) => difference.kind !== "obsolete").map(({ file }) => file);
    const written = new Map([...prompt.files].filter(([name]) => names.includes(name)));
    const removed = differences.filter((difference) => difference.kind === "obsolete").map(({ file }) => file);
    await changeGoldenFolder(folder, written, removed);
  }
  return { kind, folder, mode, differences, divergence, kept };
}

function outcomeOf(
  differences: readonly GoldenDifference[],
  isNew: boolean,
  mode: GoldenMode,
): GoldenComparison["kind"] {
  if (differences.length === 0) return "equal";
  if (mode === "update") return isNew ? "written" : "updated";
  const onlyMissing = differences.every(({ kind }) => kind === "missing");
  if (mode === "new" && onlyMissing) return "written";
  return isNew ? "missing" : "different";
}

const MODES: readonly GoldenMode[] = ["check", "new", "update"];

function requireSensible(prompt: GoldenPrompt, folder: string, mode: GoldenMode): void {
  if (!(prompt?.files instanceof Map)) {
    throw new ThreadfoldError("INVALID_CONFIG", "What is compared is not a golden prompt.", {
      hint: "Compare what renderGoldenPrompt returns.",
    });
  }
  if (typeof folder !== "string" || folder === "")
    throw new ThreadfoldError("INVALID_CONFIG", "A golden prompt needs a folder to be kept in.");
  if (!MODES.includes(mode)) {
    throw new ThreadfoldError("INVALID_CONFIG", `There is no mode ${String(mode)}.`, {
      hint: `Modes: ${MODES.join(", ")}.`,
    });
  }
}

/** One file that differs from what the prompt would write. */
export type GoldenDifference =
  | { readonly kind: "missing"; readonly file: string }
  /** A file of an earlier golden prompt that this one no longer has. */
  | { readonly kind: "obsolete"; readonly file: string }
  | {
      readonly kind: "changed";
      readonly file: string;
      /** Number of the first line that differs, counted from 1. */
      readonly line: number;
      /** The kept line and the current one; null past the end of the file. */
      readonly before: string | null;
      readonly after: string | null;
    };

/** Compares the files of a prompt with the kept ones; the differences come in the order of the prompt's files. */
export function goldenDifferences(
  kept: ReadonlyMap<string, string>,
  current: ReadonlyMap<string, string>,
): readonly GoldenDifference[] {
  const differing = [...current].flatMap(([file, after]): readonly GoldenDifference[] => {
    const before = kept.get(file);
    if (before === undefined) return [{ kind: "missing", file }];
    return before === after ? [] : [{ kind: "changed", file, ...firstDifference(before, after) }];
  });
  const obsolete = [...kept.keys()].filter((file) => !current.has(file));
  return [...differing, ...obsolete.map((file): GoldenDifference => ({ kind: "obsolete", file }))];
}

function firstDifference(before: string, after: string) {
  const [old, now] = [before.split("\n"), after.split("\n")];
  let index = 0;
  while (index < old.length && old[index] === now[index]) index++;
  return { line: index + 1, before: old[index] ?? null, after: now[index] ?? null };
}

/** What a comparison may write: `check` writes nothing, `new` what is missing, `update` everything that differs. */
export type GoldenMode = "check" | "new" | "update";

/** Environment variable that allows updates; the only other switch is vitest's `-u`. */
export const UPDATE_VARIABLE = "THREADFOLD_UPDATE_GOLDENS";

const OFF: readonly (string | undefined)[] = [undefined, "", "0", "false"];

/** Checks whether a build server runs the tests (`CI` is set). Nothing is written there, whatever else is set. */
export const isCi = (environment: NodeJS.ProcessEnv): boolean => !OFF.includes(environment["CI"]);

/**
 * Returns what may be written in this environment.
 *
 * @param runner the test runner's snapshot setting: `all` (vitest's `-u`), `new` or `none`. `new` by default.
 */
export function goldenMode(environment: NodeJS.ProcessEnv, runner: "all" | "new" | "none" = "new"): GoldenMode {
  if (isCi(environment)) return "check";
  if (runner === "all" || !OFF.includes(environment[UPDATE_VARIABLE])) return "update";
  return runner === "none" ? "check" : "new";
}
