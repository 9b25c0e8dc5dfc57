// What `npm start` runs: builds, folds the bundled session and prints the result.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { turbo } from "./turbo.mjs";
import { root } from "./workspaces.mjs";

/** The session to fold, and the budget in tokens. */
export const BUNDLED_SESSION = { path: "examples/sessions/a-day-on-threadfold.jsonl", budget: 50_000 };

/** The built command. */
export const COMMAND = join(root, "packages/threadfold/bin/threadfold.mjs");

const OUT = ".threadfold/example";
const PAGE = ".threadfold/inspector.html";

/** Writes the page that shows every call of the session, and prints where it is. */
function writePage() {
  const { path, budget } = BUNDLED_SESSION;
  const args = ["inspect", path, "--budget", `${budget}`, "--bodies", "all", "--out", PAGE];
  console.log(`\n$ npx threadfold ${args.join(" ")}\n`);
  return spawnSync(process.execPath, [COMMAND, ...args], { cwd: root, stdio: "inherit" }).status ?? 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log("Building (cached after the first time) ...");
  if (turbo(["build", "--output-logs=errors-only"]) !== 0) process.exit(1);

  const args = ["compact", BUNDLED_SESSION.path, "--budget", `${BUNDLED_SESSION.budget}`, "--out", OUT];
  console.log(`\n$ npx threadfold ${args.join(" ")}\n`);
  const { status } = spawnSync(process.execPath, [COMMAND, ...args], { cwd: root, stdio: "inherit" });
  process.exitCode = status ?? 1;
  if (status === 0) process.exitCode = writePage();
}
