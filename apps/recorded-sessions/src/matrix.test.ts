import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BUDGETS, FORMATS, sampledMatrixCells } from "./matrix.ts";
import { dataFolder, recordedFiles } from "./recorded-files.ts";

const folder = dataFolder();
const isFull = process.env["THREADFOLD_ALL_SESSIONS"] !== undefined;

describe.skipIf(folder === null)(
  "recorded sessions × budgets × formats (all with THREADFOLD_ALL_SESSIONS; skipped without THREADFOLD_DATA)",
  () => {
    it("are sampled so that each session is there, and each budget in each format", () => {
      const files = recordedFiles(folder as string);
      const cells = sampledMatrixCells(files);
      expect(new Set(cells.map(({ file }) => file)).size).toBe(files.length);
      const pairs = new Set(cells.map(({ budget, format }) => `${budget} ${format}`));
      expect(pairs.size).toBe(BUDGETS.length * FORMATS.length);
    });

    it("fits, is legal, holds every pin, replays, verifies, keeps every message reachable, and is equal in two processes", {
      timeout: 1_200_000,
    }, () => {
      const { stdout, stderr, status } = spawnSync(
        process.execPath,
        ["--conditions=threadfold-source", join(import.meta.dirname, "main.ts"), ...(isFull ? [] : ["--sample"])],
        { encoding: "utf8", env: { ...process.env, NODE_OPTIONS: "" }, maxBuffer: 64 * 1024 * 1024 },
      );
      const failed = stdout.split("\n").filter((line) => line.includes("FAILED"));
      process.stdout.write(stdout.slice(stdout.lastIndexOf("\n\n") + 1));
      expect(failed, stderr).toEqual([]);
      expect(status, stderr).toBe(0);
    });
  },
);
