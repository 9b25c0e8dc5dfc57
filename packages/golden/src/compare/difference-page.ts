import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { sha256 } from "@threadfold/core";
import { promptsPage } from "@threadfold/inspector";
import type { GoldenPrompt } from "../render/render-golden-prompt.ts";
import type { GoldenComparison } from "./compare-golden-prompt.ts";
import { annotation } from "./describe-comparison.ts";

/** What a page says besides the two prompts. */
interface DifferencePage {
  readonly comparison: GoldenComparison;
  readonly prompt: GoldenPrompt;
  /** The command that accepts the new one. */
  readonly command: string;
}

/**
 * Writes a page with both prompts beside each other, from the first difference on: outside of the project, because it is to
 * be looked at and not kept, and at the same place each time.
 *
 * @returns its path; null where it cannot be written, for that must not hide how the prompts differ.
 */
export async function writeDifferencePage({ comparison, prompt, command }: DifferencePage): Promise<string | null> {
  const { folder, kept, differences } = comparison;
  const path = join(tmpdir(), "threadfold-goldens", `${basename(folder)}-${sha256(folder).slice(0, 8)}.html`);
  const files = differences.map(({ file }) => ({
    name: file,
    before: kept.get(file) ?? null,
    after: prompt.files.get(file) ?? null,
  }));
  const page = await promptsPage({
    name: basename(folder),
    findings: annotation(comparison),
    accept: command,
    files,
  });
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, page);
    return path;
  } catch {
    return null;
  }
}
