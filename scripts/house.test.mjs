import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { houseFigures, pastLimits } from "./house.mjs";

const roots = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

function houseOf(files) {
  const root = mkdtempSync(join(tmpdir(), "house-"));
  roots.push(root);
  const manifests = { "packages/threadfold/package.json": '{ "name": "threadfold" }' };
  for (const [path, text] of Object.entries({ ...manifests, ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const lines = (count) => "export const line = 1;\n".repeat(count);
const door = (text) => ({ "packages/threadfold/src/index.ts": text });

describe("the house in figures", () => {
  it("counts the files of the libraries, without tests and laws, and the names of the door", () => {
    const root = houseOf({
      ...door('export { a, type B } from "./one.ts";\nexport type {\n  C,\n} from "./two.ts";\n'),
      "packages/threadfold/src/one.ts": lines(120),
      "packages/threadfold/src/two.ts": lines(40),
      "packages/threadfold/src/one.test.ts": lines(900),
      "packages/threadfold/src/laws/laws.ts": lines(900),
      "packages/threadfold/src/child.process.ts": lines(900),
    });
    expect(houseFigures(root)).toMatchObject({
      files: 3,
      medianLines: 40,
      maxLines: 120,
      longest: "packages/threadfold/src/one.ts",
      publicNames: 3,
      cycles: 0,
    });
  });

  it("takes an entry that exports whole files for one without a list", () => {
    const root = houseOf({ ...door('export * from "./one.ts";\n'), "packages/threadfold/src/one.ts": lines(100) });
    const figures = houseFigures(root);
    expect(figures.publicNames).toBe(Number.POSITIVE_INFINITY);
    expect(pastLimits(figures).join()).toContain("publicNames");
  });

  it("says what is past its limit, above or below", () => {
    const good = { files: 10, medianLines: 100, maxLines: 300, publicNames: 50, upArrows: 0, cycles: 0 };
    expect(pastLimits(good)).toEqual([]);
    expect(pastLimits({ ...good, maxLines: 351 })).toEqual(["maxLines is 351 but may be at most 350"]);
    expect(pastLimits({ ...good, medianLines: 41 })).toEqual(["medianLines is 41 but must be at least 80"]);
    expect(pastLimits({ ...good, upArrows: 1, cycles: 2 })).toHaveLength(2);
  });

  it("counts imports against the order", () => {
    const root = houseOf({
      ...door('export { a } from "./low/a.ts";\n'),
      "packages/threadfold/src/low/a.ts": 'import { b } from "../b.ts";\nexport const a = b;\n',
      "packages/threadfold/src/b.ts": "export const b = 1;\n",
    });
    expect(houseFigures(root).upArrows).toBeGreaterThan(0);
  });
});
