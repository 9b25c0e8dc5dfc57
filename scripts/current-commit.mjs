// Identifies the tree that a stored figure belongs to.
import { execFileSync } from "node:child_process";
import { root } from "./workspaces.mjs";

/** Returns the measured commit, marked if files other than those that the measurement writes itself have changed. */
export function currentCommit(written) {
  const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain", "--", ".", ...written.map((path) => `:!${path}`));
  return `${git("rev-parse", "--short", "HEAD")}${changed === "" ? "" : " with changes"}`;
}
