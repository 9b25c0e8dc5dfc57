// Tries 10,000 malformed threads, live, replayed and reopened; the daily tests try a few dozen.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "./workspaces.mjs";

const { status } = spawnSync("npx", ["vitest", "run", "src/reliability/malformed-threads.test.ts"], {
  cwd: join(root, "packages", "session"),
  env: { ...process.env, THREADFOLD_PROPERTY_SCALE: "20" },
  stdio: "inherit",
  shell: process.platform === "win32",
});
process.exitCode = status ?? 1;
