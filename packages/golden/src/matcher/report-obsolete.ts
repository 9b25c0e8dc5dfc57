import { goldenMode } from "../compare/golden-mode.ts";
import { obsoleteGoldenPrompts, removeGoldenPrompts } from "../compare/obsolete-cases.ts";

/** What is known at the end of a test file. */
export interface FinishedFile {
  /** The folder of its golden prompts. */
  readonly root: string;
  readonly used: Iterable<string>;
  /** What vitest was told about snapshots. */
  readonly runner: "all" | "new" | "none";
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Finds the golden prompts of a test file that none of its tests asked for; removes them in an update.
 *
 * @returns a text for people; null when there are none.
 * @throws ThreadfoldError `UNREADABLE_SOURCE`, `OUTPUT_UNWRITABLE`.
 */
export async function reportObsolete({ root, used, runner, environment }: FinishedFile): Promise<string | null> {
  const names = await obsoleteGoldenPrompts(root, used);
  if (names.length === 0) return null;
  const isUpdate = goldenMode(environment, runner) === "update";
  if (isUpdate) await removeGoldenPrompts(root, names);
  const list = names.map((name) => `  ${name}`).join("\n");
  return isUpdate
    ? `Obsolete golden prompts were removed from ${root}:\n${list}`
    : `Obsolete golden prompts in ${root}, which no test asks for; an update removes them:\n${list}`;
}
