// What `npm start` shows: builds, folds the bundled session and prints what came of it.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { turbo } from "./turbo.mjs";
import { root } from "./workspaces.mjs";

const SESSION = "examples/sessions/a-day-on-threadfold.jsonl";
const OUT = ".threadfold/example";

console.log("Building (cached after the first time) ...");
if (turbo(["build", "--output-logs=errors-only"]) !== 0) process.exit(1);

const args = ["compact", SESSION, "--budget", "50000", "--out", OUT];
console.log(`\n$ npx threadfold ${args.join(" ")}\n`);
const command = join(root, "packages/threadfold/bin/threadfold.mjs");
const { status } = spawnSync(process.execPath, [command, ...args], { cwd: root, stdio: "inherit" });
process.exitCode = status ?? 1;
