import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, it } from "vitest";
import { expectProgram } from "../readme/expect-program.mjs";
import { openReaderProject } from "../readme/reader-project.mjs";
import { PROGRAM_LANGUAGES, readSnippets } from "../readme/snippets.mjs";
import { root } from "../workspaces.mjs";

const snippets = readSnippets(readFileSync(join(root, "README.md"), "utf8"));
const place = snippets.findIndex(({ language }) => PROGRAM_LANGUAGES.includes(language));
let project;

beforeAll(async () => {
  project = await openReaderProject();
}, 600_000);
afterAll(() => project?.close());

it("the README's first program runs twice in a row on the oldest Node", { timeout: 600_000 }, async () => {
  for (const { code } of snippets.slice(0, place)) await project.run(code);
  await expectProgram(project, snippets[place]);
});
