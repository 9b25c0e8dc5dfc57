import { afterAll, afterEach, expect, type RunnerTestFile } from "vitest";
import { didAllRun, goldenPromptMatcher, goldensOf, reportObsolete, UsedPrompts, withHint } from "./matcher.ts";
import type { GoldenPromptOptions } from "./options/golden-options.ts";
import { type GoldenPrompt, renderGoldenPrompt } from "./render/render-golden-prompt.ts";

declare module "vitest" {
  // The type parameters must match vitest's own in name and bounds: otherwise the declarations do not merge.
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> {
    /**
     * Compares what `goldenPrompt` returns with the golden prompt of this name, which is kept under `__goldens__` next
     * to the test, or in the folder given as a path that begins with `./`. Writes it if it does not exist yet;
     * `vitest -u` and `THREADFOLD_UPDATE_GOLDENS=1` replace it; when `CI` is set, nothing is written. Must be awaited.
     */
    toMatchGoldenPrompt(nameOrPath: string): Promise<void>;
  }
}

const used = new UsedPrompts();
expect.extend({ toMatchGoldenPrompt: goldenPromptMatcher(used) });

let finished: RunnerTestFile | undefined;
afterEach(({ task }) => {
  finished = task.file;
});

afterAll(async () => {
  if (finished === undefined || !didAllRun(finished)) return;
  const report = await reportObsolete({
    root: goldensOf(finished.filepath),
    used: used.folders,
    runner: expect.getState().snapshotState.snapshotUpdateState,
    environment: process.env,
  });
  // biome-ignore lint/suspicious/noConsole: vitest shows what a test file prints next to its name.
  if (report !== null) console.warn(report);
});

/**
 * Renders a conversation under a policy as golden files, as `renderGoldenPrompt` does. The message of what it throws
 * also says what to do about it.
 */
export function goldenPrompt(options: GoldenPromptOptions): Promise<GoldenPrompt> {
  return withHint(() => renderGoldenPrompt(options));
}
