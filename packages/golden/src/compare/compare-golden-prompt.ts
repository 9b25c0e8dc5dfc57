import { ThreadfoldError } from "@threadfold/core";
import type { GoldenPrompt } from "../golden-prompt.ts";
import { COMMON_FILES } from "../render/golden-files.ts";
import { type GoldenDivergence, goldenDivergence } from "../trace/golden-divergence.ts";
import { parseTrace } from "../trace/parse-trace.ts";
import { type GoldenDifference, goldenDifferences } from "./golden-difference.ts";
import { changeGoldenFolder, readGoldenFolder } from "./golden-folder.ts";
import { type GoldenMode, goldenMode } from "./golden-mode.ts";

/** Where a prompt is kept, and what may be written there. */
export interface CompareOptions {
  /** The folder of this golden prompt alone. */
  readonly folder: string;
  /** By default what the environment says: `THREADFOLD_UPDATE_GOLDENS` updates, `CI` only checks, else `new`. */
  readonly mode?: GoldenMode;
}

/** What comparing came to. */
export interface GoldenComparison {
  /**
   * `equal`: every file is as kept. `written`: there was no golden prompt, or files of it were missing, and they are there
   * now. `updated`: what differed was replaced. `missing`: there is no golden prompt, and none may be written.
   * `different`: it is another prompt.
   */
  readonly kind: "equal" | "written" | "updated" | "missing" | "different";
  readonly folder: string;
  readonly mode: GoldenMode;
  /** What differed before anything was written. */
  readonly differences: readonly GoldenDifference[];
  /** Where the prompt parts from the golden one; null when it extends it, or when nothing of that kind is kept. */
  readonly divergence: GoldenDivergence | null;
  /** The kept files as they were, to be shown beside the current ones. */
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
    throw new ThreadfoldError("INVALID_CONFIG", "What is compared is no golden prompt.", {
      hint: "Compare what renderGoldenPrompt gives.",
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
