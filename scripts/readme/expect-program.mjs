import { expect } from "vitest";
import { readTranscript } from "./snippets.mjs";

/** What a Node needs that does not read TypeScript by itself. */
const READ_TYPESCRIPT = process.features.typescript ? "" : "--experimental-strip-types";

/** A program of the README compiles, runs twice in a row in a reader's project, and prints what its transcript says. */
export async function expectProgram(project, snippet) {
  project.write(snippet.file, snippet.code);
  if (snippet.file.endsWith(".ts")) expect(await project.compile([snippet.file])).toBe("");
  // A file of tests is run by a command of the README's own, which comes behind it.
  if (!snippet.file.includes(".test.")) await expectStarts(project, snippet, 2);
}

/** A program that is written in a reader's project runs so often in a row, and prints what its transcript says. */
export async function expectStarts(project, { file, transcript }, starts) {
  const said = transcript === undefined ? [] : readTranscript(transcript);
  for (let start = 0; start < starts; start++) {
    const { command = `node ${file}`, output } = said[start] ?? said[0] ?? {};
    const printed = await project.run(command, file.endsWith(".ts") ? READ_TYPESCRIPT : "");
    if (output !== undefined) expect(printed, `start ${start + 1} of ${file}`).toMatch(output);
  }
}
