import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../laws/runs.ts";
import { shownPath } from "./render-summary.ts";
import { sharedFolderOf } from "./shared-folder.ts";

const name = fc.constantFrom("home", "dev", "project", "src", "core", "a.ts", "b.ts", "read me.md");
const path = fc
  .tuple(fc.constantFrom("/", "", "./"), fc.array(name, { minLength: 1, maxLength: 6 }))
  .map(([start, names]) => start + names.join("/"));

describe("the folder that paths share", () => {
  it("law: every shown path and the folder give the path again", () => {
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 12 }), (paths) => {
        const folder = sharedFolderOf(new Set(paths));
        const shown = paths.map((one) => shownPath(one, folder));
        expect(shown.map((one) => one.replace(/^…\//, folder))).toEqual(paths);
        expect(new Set(shown).size).toBe(paths.length);
      }),
      runs(300),
    );
  });

  it.each([
    [["/home/u/p/src/a.ts", "/home/u/p/src/b.ts", "/home/u/p/docs/c.md"], "/home/u/p/"],
    [["/home/u/p/src/a.ts", "/home/u/p/src/b.ts"], ""],
    [["/a.ts", "/b.ts", "/c.ts"], ""],
    [["src/a.ts", "src/b.ts", "src/c.ts"], ""],
  ])("of %j is %s", (paths, folder) => expect(sharedFolderOf(new Set(paths))).toBe(folder));
});
