import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
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
 * The folder of this process's pages. Prompts quote what was said, and the machine's folder for such files is everybody's: one
 * that nobody else can name, read or have put there before.
 */
let pagesFolder: Promise<string> | undefined;

/**
 * Writes a page with both prompts beside each other, from the first difference on: outside of the project, because it is to
 * be looked at and not kept.
 *
 * @returns its path; null where it cannot be written, for that must not hide how the prompts differ.
 */
export async function writeDifferencePage({ comparison, prompt, command }: DifferencePage): Promise<string | null> {
  const { folder, kept, differences } = comparison;
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
    pagesFolder ??= mkdtemp(join(tmpdir(), "threadfold-goldens-"));
    const path = join(await pagesFolder, `${basename(folder)}-${sha256(folder).slice(0, 8)}.html`);
    await writeFile(path, page);
    return path;
  } catch {
    pagesFolder = undefined;
    return null;
  }
}
