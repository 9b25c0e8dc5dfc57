import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listUntested, reportUntested } from "./list-untested.mjs";
import { allIds, idsIn, isPlannerId } from "./scenario-ids.mjs";
import { leadingIds, testNames } from "./test-names.mjs";

let root;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "threadfold-scenarios-"));
});
afterEach(() => rmSync(root, { recursive: true }));

describe("names of tests", () => {
  const source = `
    // it("S9 in a comment", () => {});
    const fixture = ["S8 in a fixture"];
    describe("C5: message ids", () => {
      it("S1 S2 at the threshold", () => expect("S7 in a body").toBe(1));
      it.each<[string, number]>([["A1: messages only", 1], ["A2, A3: a call", 2]])("%s", () => {});
      it.each(["V1 a title alone"])("%s", () => {});
      it.skipIf(missing)(\`W7 \${count} times\`, () => {});
    });`;

  it("are read from calls of the runner and from tables, and from nowhere else", () => {
    const ids = testNames("some.test.ts", source).flatMap(leadingIds);
    expect(ids.sort()).toEqual(["A1", "A2", "A3", "C5", "S1", "S2", "V1", "W7"]);
  });

  it("are those of laws as well, for each law is a test wherever laws are kept", () => {
    const laws = `
      export const laws = [
        { name: "C1 a stale commit is a conflict", async holds({ store }) {} },
        { name: "C6 words are found", broken: async (index) => null },
        { name: "S4 a file, say", path: "a.ts" },
      ];`;
    expect(testNames("store-laws.ts", laws).flatMap(leadingIds)).toEqual(["C1", "C6"]);
  });

  it("count for the ids that they begin with", () => {
    expect(leadingIds("A4 A5 closes over the call, as A6 says")).toEqual(["A4", "A5"]);
    expect(leadingIds("G5, A10: a result before its call")).toEqual(["G5", "A10"]);
    expect(leadingIds("keeps S1")).toEqual([]);
    expect(leadingIds("S1x")).toEqual([]);
    expect(leadingIds("S22 goat-14 claude-code-3 folds")).toEqual(["S22", "goat-14", "claude-code-3"]);
  });
});

describe("the list of scenarios", () => {
  it("is complete without the document", () => {
    expect([allIds().length, new Set(allIds()).size]).toEqual([139, 139]);
    expect(allIds().filter(isPlannerId)).toHaveLength(12 + 11 + 42 + 15 + 3);
  });

  it("finds ids in rows and in lists, and none in the words of a row", () => {
    expect(idsIn("| A1 | empty, see A9 | safe |\n| Id | Input |\nW1 call · W2 result · W3 text. **Expected**")).toEqual(
      ["A1", "W1", "W2", "W3"],
    );
  });
});

describe("the report", () => {
  it("names what has no test, wherever tests are, and fails for the planner's", () => {
    house({
      "packages/core/src/plan/plan.test.ts": 'it("A1: safe", () => {});',
      "packages/core/src/laws/plan-laws.ts": 'export const laws = ({ it }) => it("V1 view", () => {});',
      "apps/bench/src/bench.test.ts": 'it("W1 call", () => {});',
      "packages/core/src/plan/plan.ts": 'it("A2: not a test file", () => {});',
    });
    const missing = listUntested(root, root).untested;
    expect(missing).toHaveLength(allIds().length - 3);
    expect(missing).toContain("A2");
    const printed = [];
    expect(reportUntested(root, root, { planner: true }, (line) => printed.push(line))).toBe(1);
    expect(printed[0]).toBe("2 scenarios have a test.");
    expect(printed[1]).not.toMatch(/\bW\d/);
  });

  it("names requirements without a test, and fails for them", () => {
    house({
      "docs/spec/requirements.md": '| <a id="pi-1"></a>pi-1 | a | |\n| <a id="pi-2"></a>pi-2 | b | ◐ |',
      "packages/core/src/pi.test.ts": 'it("pi-2 holds", () => {});',
      "scripts/all.test.mjs": allIds()
        .map((id) => `it("${id} holds", () => {});`)
        .join("\n"),
    });
    const printed = [];
    expect(reportUntested(root, root, {}, (line) => printed.push(line))).toBe(1);
    expect(printed.slice(1)).toEqual(["1 requirements have a test.", "Without a test: pi-1"]);
  });

  it("passes when nothing of the planner is missing, and tells of ids that it does not know", () => {
    const planner = allIds().filter(isPlannerId);
    house({ "scripts/all.test.mjs": planner.map((id) => `it("${id} holds", () => {});`).join("\n") });
    const print = () => undefined;
    expect(reportUntested(root, root, {}, print)).toBe(0);
    house({ "conformance.md": "| A1 | x | y |\n| A99 | x | y |" });
    expect(listUntested(root, root)).toMatchObject({ unknown: ["A99"], untested: expect.arrayContaining(["A99"]) });
    expect(reportUntested(root, root, {}, print)).toBe(1);
  });
});

function house(files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}
