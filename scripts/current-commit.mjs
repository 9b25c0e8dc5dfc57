// Which tree a kept figure is of.
import { execFileSync } from "node:child_process";
import { root } from "./workspaces.mjs";

/** The commit that is measured, marked when more is changed than the files that the measurement writes itself. */
export function currentCommit(written) {
  const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain", "--", ".", ...written.map((path) => `:!${path}`));
  return `${git("rev-parse", "--short", "HEAD")}${changed === "" ? "" : " with changes"}`;
}
