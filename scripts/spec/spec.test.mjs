import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { citedWithoutPlace, provenScenarios, scenariosPage, wirePage } from "./spec-pages.mjs";
import { specPages } from "./write-spec.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("the specification", () => {
  it("is that of this tree: npm run spec", () => {
    const stale = Object.entries(specPages(root)).filter(
      ([path, text]) => readFileSync(join(root, path), "utf8") !== text,
    );
    expect(stale.map(([path]) => path)).toEqual([]);
  });

  it("has a place for every id that a comment or a page cites", () => {
    expect(Object.fromEntries(citedWithoutPlace(root))).toEqual({});
  });

  it("has something to say of each scenario", () => {
    const proven = provenScenarios(root);
    expect(proven.size).toBeGreaterThan(100);
    for (const [id, tests] of proven) for (const { words } of tests) expect(`${id} ${words}`).toMatch(/^[A-Z]\d+ \S/);
    expect(scenariosPage(root)).toContain('<a id="l29"></a>**L29**');
  });

  it("says a wire rule once, in the words of each provider, with what to do", () => {
    const rule = (description) => ({ id: "W1", description, reference: "Call → result" });
    const format = (id, description) => ({ id, rules: { rules: [rule(description)] } });
    const page = wirePage(
      [format("one", "Answer."), format("two", "Answer."), format("three", "Give an output.")],
      () => "answer it",
    );
    expect(page).toContain("What to do: answer it.");
    expect(page).toContain("- Answer. (one, two)\n- Give an output. (three)");
    expect(page.match(/id="w1"/g)).toHaveLength(1);
  });

  it("says of each requirement that differs how, and counts them", () => {
    const read = (page) => readFileSync(join(root, "docs/spec", page), "utf8");
    const ids = [...read("requirements.md").matchAll(/^\| <a id="([a-z-]+-\d+)"><\/a>.*\| (◐?) ?\|$/gm)];
    const differing = ids.filter(([, , mark]) => mark === "◐").map(([, id]) => id);
    const differences = read("differences.md");
    const rows = [...differences.matchAll(/^\| ((?:[a-z]+(?:-[a-z]+)*-\d+ )+)/gm)].flatMap(([, list]) =>
      list.trim().split(" "),
    );
    expect(rows.sort()).toEqual(differing.sort());
    const counted = `Of ${ids.length} requirements of the documents behind Threadfold ${ids.length - differing.length} hold, ${differing.length} differ`;
    expect(differences.split("\n")[0]).toContain(counted);
  });
});
