import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CLAIMS } from "./reliability-report.mjs";
import { idsOf, listOfParts, MEASUREMENTS, PARTS, partSummary, placesNaming } from "./test-full.mjs";
import { root } from "./workspaces.mjs";

let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "threadfold-full-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function addPackage(name, source, scripts = { test: "vitest run" }) {
  const src = join(folder, "packages", name, "src");
  mkdirSync(src, { recursive: true });
  writeFileSync(join(folder, "packages", name, "package.json"), JSON.stringify({ name, scripts }));
  writeFileSync(join(src, "any.ts"), source);
}

describe("a part of the full run", () => {
  it("is looked for where a source names one of its ids, and nothing longer", () => {
    addPackage("one", 'it("R4 has one winner")');
    addPackage("two", 'it("R40 is something else")');
    addPackage("three", 'const law = { name: "C3 P8 never waits" };');
    addPackage("untested", 'it("R4")', {});
    expect(placesNaming(["R4"], folder)).toEqual(["packages/one"]);
    expect(placesNaming(["R4", "C3"], folder)).toEqual(["packages/one", "packages/three"]);
  });

  it("is looked for in the names of the house's own tests as well", () => {
    addPackage("one", 'it("R4 has one winner")');
    mkdirSync(join(folder, "scripts"));
    writeFileSync(join(folder, "scripts", "pages.test.mjs"), 'describe.each(pages)("H1 works", () => "R4");');
    expect(placesNaming(["H1"], folder)).toEqual(["."]);
    expect(placesNaming(["H1", "R4"], folder)).toEqual(["packages/one", "."]);
    expect(placesNaming(["R4", "H10"], folder)).toEqual(["packages/one"]);
  });

  it("is every host from installed packages, too", () => {
    expect(placesNaming(["H1"])).toContain(".");
  });

  it("says how each of its tests ended, with the figures, and which ids nothing passed for", () => {
    const test = (fullName, status, meta = {}) => ({ fullName, status, meta, duration: 2_345 });
    const all = [
      test("stores R4 has one winner", "passed", { figures: { committers: 128, rounds: 1_000 } }),
      test("stores R9 is linearizable", "failed"),
      test("stores R40 is another", "passed"),
    ];
    expect(partSummary(["R4", "R9"], all)).toEqual({
      lines: [
        "passed  2.3 s  stores R4 has one winner  committers 128, rounds 1,000",
        "failed  2.3 s  stores R9 is linearizable",
      ],
      unproved: ["R9"],
    });
  });

  it("has every claim in one part, and each claim is tried somewhere", () => {
    const ids = Object.values(PARTS).flat();
    expect(ids.toSorted()).toEqual(Object.keys(CLAIMS).toSorted());
    for (const id of ids) {
      if (id in MEASUREMENTS) expect(existsSync(join(root, MEASUREMENTS[id])), id).toBe(true);
      else expect(placesNaming([id]), id).not.toEqual([]);
    }
    expect(idsOf(["crashes", "P8"])).toEqual([...PARTS.crashes, "P8"]);
    expect(listOfParts()).toContainEqual(expect.stringMatching(/^soak +R31 +packages\/session$/));
  });

  it("is refused when it is asked for by what is no id", () => {
    const { status, stderr } = spawnSync(process.execPath, [join(root, "scripts/test-full.mjs"), "R4", "stores/"]);
    expect([status, String(stderr)]).toEqual([2, expect.stringContaining("Not a test id: stores/.")]);
  });
});
