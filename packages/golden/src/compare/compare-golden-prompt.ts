import { ThreadfoldError } from "@threadfold/core";
import { COMMON_FILES } from "../render/golden-files.ts";
import type { GoldenPrompt } from "../render/render-golden-prompt.ts";
import { type GoldenDivergence, goldenDivergence } from "../trace/golden-divergence.ts";
import { parseTrace } from "../trace/prompt-trace.ts";
import { changeGoldenFolder, readGoldenFolder } from "./golden-folder.ts";

/** Where a prompt is kept, and what may be written there. */
export interface CompareOptions {
  /** The folder of this golden prompt alone. */
  readonly folder: string;
  /** By default what the environment says: `THREADFOLD_UPDATE_GOLDENS` updates, `CI` only checks, else `new`. */
  readonly mode?: GoldenMode;
}

/** The outcome of comparing a prompt with the golden prompt in a folder. */
export interface GoldenComparison {
  /**
   * `equal`: every file is as kept. `written`: there was no golden prompt, or files of it were missing, and they are
   * there now. `updated`: what differed was replaced. `missing`: there is no golden prompt, and writing one is not
   * allowed. `different`: it is another prompt.
   */
  readonly kind: "equal" | "written" | "updated" | "missing" | "different";
  readonly folder: string;
  readonly mode: GoldenMode;
  /** What differed before anything was written. */
  readonly differences: readonly GoldenDifference[];
  /** Where the prompt diverges from the golden one; null when it extends it, or when nothing of that kind is kept. */
  readonly divergence: GoldenDivergence | null;
  /** The kept files as they were, to be shown next to the current ones. */
  readonly kept: ReadonlyMap<string, string>;
}

/** True for what a test should let pass. */
export const isAccepted = ({ kind }: GoldenComparison): boolean => kind !== "missing" && kind !== "different";

/**
 * Compares a prompt with the one that is kept in a folder, and writes what the mode allows: for any test runner.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` without a folder or for a mode that does not exist, `UNREADABLE_SOURCE`,
 * `OUTPUT_UNWRITABLE`.
 */
export async function compareGoldenPrompt(prompt: GoldenPrompt, options: CompareOptions): Promise<GoldenComparison> {
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

/** One file that is not what the prompt makes of it. */
export type GoldenDifference =
  | { readonly kind: "missing"; readonly file: string }
  /** A file of an earlier golden prompt that this one no longer has. */
  | { readonly kind: "obsolete"; readonly file: string }
  | {
      readonly kind: "changed";
      readonly file: string;
      /** First line that differs, from 1. */
      readonly line: number;
      /** What stood there, and what would stand there; null behind the end of the file. */
      readonly before: string | null;
      readonly after: string | null;
    };

/** Compares the files of a prompt with those that are kept, in the order of the prompt's files. */
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

/** What a comparison may write: `check` nothing, `new` what is missing, `update` everything that differs. */
export type GoldenMode = "check" | "new" | "update";

/** The only switch besides vitest's `-u`. */
export const UPDATE_VARIABLE = "THREADFOLD_UPDATE_GOLDENS";

const OFF: readonly (string | undefined)[] = [undefined, "", "0", "false"];

/** True where a build server runs the tests (`CI`). Nothing is written there, whatever is asked for. */
export const isCi = (environment: NodeJS.ProcessEnv): boolean => !OFF.includes(environment["CI"]);

/**
 * What may be written in this environment.
 *
 * @param runner what the test runner was told: `all` (vitest's `-u`), `new`, or `none`. `new` by default.
 */
export function goldenMode(environment: NodeJS.ProcessEnv, runner: "all" | "new" | "none" = "new"): GoldenMode {
  if (isCi(environment)) return "check";
  if (runner === "all" || !OFF.includes(environment[UPDATE_VARIABLE])) return "update";
  return runner === "none" ? "check" : "new";
}
