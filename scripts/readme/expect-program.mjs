import { expect } from "vitest";
import { readTranscript } from "./snippets.mjs";

/** Flag for a Node that does not run TypeScript by default. */
const READ_TYPESCRIPT = process.features.typescript ? "" : "--experimental-strip-types";

/**
 * Expects a README program to compile, run twice in a row in a reader's project, and print what its transcript says.
 */
export async function expectProgram(project, snippet) {
  project.write(snippet.file, snippet.code);
  if (snippet.file.endsWith(".ts")) expect(await project.compile([snippet.file])).toBe("");
  // A file of tests is run by a separate command of the README that comes after it.
  if (!snippet.file.includes(".test.")) await expectStarts(project, snippet, 2);
}

/** Expects a program in a reader's project to run this many times in a row, and to print what its transcript says. */
export async function expectStarts(project, { file, transcript }, starts) {
  const said = transcript === undefined ? [] : readTranscript(transcript);
  for (let start = 0; start < starts; start++) {
    const { command = `node ${file}`, output } = said[start] ?? said[0] ?? {};
    const printed = await project.run(command, file.endsWith(".ts") ? READ_TYPESCRIPT : "");
    if (output !== undefined) expect(printed, `start ${start + 1} of ${file}`).toMatch(output);
  }
}
