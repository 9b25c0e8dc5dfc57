// The oldest supported Node, which is downloaded from npm's registry at first use and stays in scripts/oldest-node.
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { npm } from "./npm.mjs";
import { OLDEST_NODE } from "./test-report.mjs";
import { root } from "./workspaces.mjs";

export const FOLDER = join(root, OLDEST_NODE);
const LOCKFILE = join(FOLDER, "package-lock.json");
/** A copy of the lockfile that was installed: an aborted install does not have one. */
const INSTALLED = join(FOLDER, "node_modules", ".installed-lockfile.json");

const [[path, { version, os, cpu, bin }]] = Object.entries(JSON.parse(readFileSync(LOCKFILE, "utf8")).packages).filter(
  ([name]) => name !== "",
);

/** Why this machine cannot have the oldest Node, as far as known; otherwise undefined. */
export const whyNoOldestNode =
  os.includes(process.platform) && cpu.includes(process.arch)
    ? undefined
    : `Node ${version} is available only for ${os} ${cpu}`;

/** Installs the oldest Node unless it already is, and returns the path of its executable. */
export async function oldestNode() {
  if (!(existsSync(INSTALLED) && readFileSync(INSTALLED).equals(readFileSync(LOCKFILE)))) {
    console.log(`Installing Node ${version} into ${OLDEST_NODE} ...`);
    await npm(["ci", "--loglevel=error"], { cwd: FOLDER });
    copyFileSync(LOCKFILE, INSTALLED);
  }
  return join(FOLDER, path, bin.node);
}
