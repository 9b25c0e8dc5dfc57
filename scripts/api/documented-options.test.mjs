import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../workspaces.mjs";

/** Interfaces whose fields somebody sets, and reads about in the editor first. */
const OPTIONS = /^export interface (?<name>\w*(?:Options|Config|Limits|Target))\b/;
const FIELD = /^ {2}(?:readonly )?(?<field>\w+)\??[:(]/;

const ROOMS =
  "core,session,integrations,proxy,stores,importers,summarizers,strategies,tokenizers,turn,rehydration,renderer,golden";

/** Options of a source without a docstring right above them. */
function undocumented(source) {
  let options;
  return source.split("\n").flatMap((line, index, lines) => {
    options = OPTIONS.exec(line)?.groups.name ?? (line.startsWith("}") ? undefined : options);
    if (line.endsWith("{}")) options = undefined;
    const field = FIELD.exec(line)?.groups.field;
    return options === undefined || field === undefined || lines[index - 1].endsWith("*/")
      ? []
      : [`${options}.${field}`];
  });
}

it("every option has a docstring in the editor", () => {
  const files = globSync(`packages/{${ROOMS}}/src/**/*.ts`, { cwd: root }).filter(
    (file) => !/\.test\.ts$|\/testing\//.test(file),
  );
  const missing = files.flatMap((file) =>
    undocumented(readFileSync(join(root, file), "utf8")).map((option) => `${file}: ${option}`),
  );
  expect(files.length).toBeGreaterThan(500);
  expect(missing).toEqual([]);
});

it("an option without one is found", () => {
  const source =
    "export interface ReadOptions {\n  /** How. */\n  readonly how: string;\n  readonly why?: string;\n}\n";
  expect(undocumented(source)).toEqual(["ReadOptions.why"]);
});
