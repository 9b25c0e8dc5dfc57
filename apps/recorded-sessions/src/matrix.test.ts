import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { dataFolder } from "./recorded-files.ts";

describe.skipIf(dataFolder() === null)(
  "every recorded session × budget × format (skipped without THREADFOLD_DATA)",
  () => {
    it("fits, is legal, holds every pin, replays, verifies, keeps every message reachable, and is equal in two processes", {
      timeout: 1_200_000,
    }, () => {
      const { stdout, stderr, status } = spawnSync(
        process.execPath,
        ["--conditions=threadfold-source", join(import.meta.dirname, "main.ts")],
        { encoding: "utf8", env: { ...process.env, NODE_OPTIONS: "" }, maxBuffer: 64 * 1024 * 1024 },
      );
      const failed = stdout.split("\n").filter((line) => line.includes("FAILED"));
      process.stdout.write(stdout.slice(stdout.lastIndexOf("\n\n") + 1));
      expect(failed, stderr).toEqual([]);
      expect(status, stderr).toBe(0);
    });
  },
);
