import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { root } from "../workspaces.mjs";
import { apiPages, entryText } from "./api-report.mjs";

const folders = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** An entry as a build writes it, with the files beside it. */
function entryOf(files) {
  const folder = mkdtempSync(join(tmpdir(), "api-"));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return join(folder, "index.d.ts");
}

describe("the interfaces of the packages", () => {
  it("are those that were accepted: npm run api", () => {
    const changed = Object.entries(apiPages(root)).filter(
      ([path, page]) => readFileSync(join(root, path), "utf8") !== page,
    );
    expect(changed.map(([path]) => path)).toEqual([]);
  });
});

describe("what an entry exports", () => {
  it("is sorted by name, without comments and without what it keeps to itself", () => {
    const file = entryOf({
      "index.d.ts": `/** Adds. */
declare function add(a: number, /* the other */ b: number): number;
interface Hidden { readonly no: true }
/** A box. */
interface Box {
  /** Its width, in metres. */
  readonly width: number;
}
export { type Box, add };
`,
    });
    expect(entryText(file)).toBe(
      "function add(a: number,  b: number): number;\ninterface Box {\n  readonly width: number;\n}",
    );
  });

  it("is followed into the files beside it, under the name that it has outside", () => {
    const file = entryOf({
      "index.d.ts": `import { t as Box$1 } from "./shared.js";
import { Other } from "@threadfold/core";
export { type Box$1 as Box, type Other };
export * from "@threadfold/stores";
`,
      "shared.d.ts": "interface Box {\n  readonly width: number;\n}\nexport { Box as t };\n",
    });
    expect(entryText(file)).toBe(
      'export * from "@threadfold/stores";\ninterface Box {\n  readonly width: number;\n}\nexport { Other } from "@threadfold/core";',
    );
  });

  it("is followed there under a short name with a dollar sign, too", () => {
    const file = entryOf({
      "index.d.ts": `import { $t as Box$1 } from "./shared.js";
import { Other } from "@threadfold/core";
export { type Box$1 as Box, type Other };
export * from "@threadfold/stores";
`,
      "shared.d.ts": "interface Box {\n  readonly width: number;\n}\nexport { Box as $t };\n",
    });
    expect(entryText(file)).toBe(
      'export * from "@threadfold/stores";\ninterface Box {\n  readonly width: number;\n}\nexport { Other } from "@threadfold/core";',
    );
  });

  it("keeps every overload, and says when nothing is built", () => {
    const file = entryOf({
      "index.d.ts":
        "declare function of(a: string): string;\ndeclare function of(a: number): number;\nexport { of };\n",
    });
    expect(entryText(file)).toBe("function of(a: string): string;\nfunction of(a: number): number;");
    expect(() => entryText(join(tmpdir(), "nowhere", "index.d.ts"))).toThrow("build first");
  });
});
