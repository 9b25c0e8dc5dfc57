import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { docsPage } from "./docs-page.ts";
import type { PeersResults } from "./peers-results.ts";

/** Peers are compared where they are installed; the product's own install never brings them. */
function sampled(): PeersResults {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [
      "--conditions=threadfold-source",
      join(import.meta.dirname, "peers.ts"),
      "--sample",
      "--without-install",
      "--json",
      ...["threadfold", "floor", "no-compaction"].map((policy) => `--policy=${policy}`),
    ],
    { encoding: "utf8" },
  );
  expect(stderr.includes("Error"), stderr).toBe(false);
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout) as PeersResults;
}

describe("the comparison", () => {
  it("replays a sample through worker processes and measures every policy that it was asked for", () => {
    const results = sampled();
    expect(results.sessions.length).toBeGreaterThan(0);
    expect(results.policies.map(({ policy, kind }) => [policy, kind])).toEqual([
      ["threadfold", "preset"],
      ["no-compaction", "baseline"],
      ["floor", "baseline"],
    ]);
    for (const figures of results.policies) {
      expect(figures.requests, figures.policy).toBeGreaterThan(0);
      expect([figures.throws, figures.violations, figures.emptyPrompts], figures.policy).toEqual([0, 0, 0]);
    }
    const [ours, everything, floor] = results.policies;
    expect(everything?.bill.a).toBe(1);
    expect(everything?.coldRecall.direct ?? 1).toBe(1);
    expect(ours?.fitRate).toBe(1);
    expect(floor?.fitRate).toBe(1);
    const page = docsPage({
      peers: results,
      speed: null,
      folds: null,
      start: null,
      storage: null,
      fleet: null,
      pauses: null,
      before: "",
    });
    expect(page).toContain("| threadfold | preset | ");
    expect(page).toContain(`### ${ours?.budget.toLocaleString("en-US")} tokens`);
    for (const { name } of results.absent) expect(page).toContain(name);
  });
});
