import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { connectPostgres } from "threadfold/postgres";
import { describe, expect, it } from "vitest";
import type { LiveFigures } from "./fleet-live.ts";
import { fleetServer } from "./fleet-order.ts";
import type { FleetFigures } from "./fleet-postgres.ts";
import { fleetTable, sayLive } from "./fleet-table.ts";

/** What a small run prints, a line for each part. */
function small<Figures>(...sizes: readonly string[]): readonly Figures[] {
  const script = join(import.meta.dirname, "fleet.ts");
  const given = ["--expose-gc", "--conditions=threadfold-source", script, "--json", ...sizes];
  const { stdout, stderr, status } = spawnSync(process.execPath, given, { encoding: "utf8" });
  expect(status, stderr).toBe(0);
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Figures);
}

const driver = connectPostgres(fleetServer());
const isThere = await driver.query("SELECT 1").then(
  () => true,
  () => false,
);
await driver.close();
if (!isThere && process.env["THREADFOLD_REQUIRE_SERVICES"] === "1") throw new Error("No PostgreSQL answers.");

describe("many threads at once", () => {
  it("are sessions in one process that keep what their threads take, and less when they are resumed", () => {
    const [live] = small<LiveFigures>("--sessions=4", "--turns=8", "--threads=0") as [LiveFigures];
    expect(live).toMatchObject({ part: "live", sessions: 4, turns: 8 });
    expect(live.grownKb).toBeGreaterThan(0);
    expect(live.p50Ms).toBeGreaterThan(0);
    expect(live.highestMs).toBeGreaterThanOrEqual(live.p99Ms);
    expect(sayLive(live)).toContain("4 sessions");
  });

  it.skipIf(!isThere)("are processes on one PostgreSQL, of which each gets something done", () => {
    const sizes = ["--sessions=0", "--threads=48", "--processes=1,2", "--seconds=1", "--shared=4", "--jobs=6"];
    const figures = small<FleetFigures>(...sizes);
    expect(figures.map(({ processes }) => processes)).toEqual([1, 2]);
    for (const { bare, append, shared, fold, work, mostConnections, processes, connections } of figures) {
      for (const rate of [bare, append, shared, fold, work]) expect(rate.perSecond).toBeGreaterThan(0);
      for (const rate of [bare, append, shared]) expect(rate.leastShare).toBeGreaterThan(0);
      // A process that is alone, and one that has its own threads, is never behind anybody.
      expect([append.conflicts, fold.conflicts, work.conflicts]).toEqual([0, 0, 0]);
      expect(mostConnections).toBeLessThanOrEqual(processes * connections);
    }
    expect(fleetTable(figures).split("\n")).toHaveLength(2 + 5 * figures.length);
  });
});
