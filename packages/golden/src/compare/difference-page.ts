import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { sha256 } from "@threadfold/core";
import { promptsPage } from "@threadfold/inspector";
import type { GoldenPrompt } from "../render/render-golden-prompt.ts";
import type { GoldenComparison } from "./compare-golden-prompt.ts";
import { annotation } from "./describe-comparison.ts";

/** The contents of a page: a comparison, the current prompt, and how to accept it. */
interface DifferencePage {
  readonly comparison: GoldenComparison;
  readonly prompt: GoldenPrompt;
  /** The command that accepts the current prompt. */
  readonly command: string;
}

/**
 * The folder of this process's pages. Prompts quote conversations and the system's temporary folder is shared, so this
 * is a folder that nobody else can guess, read or have created before.
 */
let pagesFolder: Promise<string> | undefined;

/**
 * Writes a page with both prompts side by side, from the first difference on. It goes outside the project, because it
 * is meant to be looked at and not kept.
 *
 * @returns the path of the page; null when it cannot be written, which must not hide how the prompts differ.
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
