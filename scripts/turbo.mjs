// Runs turbo without its telemetry: `node scripts/turbo.mjs build typecheck`.
import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "./workspaces.mjs";

const PATH = [join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter);

/** Runs turbo tasks from the root and returns turbo's exit code. */
export function turbo(args, env = {}) {
  const { status, error } = spawnSync("turbo", ["run", ...args], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...env, PATH, TURBO_TELEMETRY_DISABLED: "1" },
    shell: process.platform === "win32",
  });
  if (error) throw error;
  return status ?? 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = turbo(process.argv.slice(2));
