// A throw-away copy of this repository in which the scripted agent may do anything.
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Stands for every folder of this machine in the recorded session. */
export const NEUTRAL_ROOT = "/repo";

/** Copies the files that git tracks or would track, without the recordings, and links the installed packages. */
export function openWorkingCopy(root) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "threadfold-example-")));
  const path = join(home, "repo");
  for (const file of filesOf(root)) cpSync(join(root, file), join(path, file), { recursive: true });
  linkPackages(root, path);
  const environment = environmentIn(path, home);
  const git = (...args) => execFileSync("git", args, { cwd: path, env: environment, stdio: "pipe" });
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message", "The state of the repository when the session was recorded");
  return {
    path,
    environment,
    /** Replaces this machine's folders with {@link NEUTRAL_ROOT}, longer paths first. */
    neutral: (text) =>
      [path, home, realpathSync(root)].reduce((kept, folder) => kept.replaceAll(folder, NEUTRAL_ROOT), text),
    close: () => rmSync(home, { recursive: true, force: true }),
  };
}

function filesOf(root) {
  const list = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  });
  return list
    .split("\0")
    .filter((file) => file !== "" && !file.startsWith("examples/sessions/") && existsSync(join(root, file)));
}

/** Links every installed package to the original, except that the workspace's own packages point into the copy. */
function linkPackages(root, copy) {
  const from = join(root, "node_modules");
  const to = join(copy, "node_modules");
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(join(from, entry.name)), join(to, entry.name));
    else if (entry.name === ".bin" || entry.name === "@threadfold")
      copyLinks(join(from, entry.name), join(to, entry.name));
    else if (!entry.name.startsWith(".")) symlinkSync(join(from, entry.name), join(to, entry.name));
  }
}

function copyLinks(from, to) {
  mkdirSync(to);
  for (const name of readdirSync(from)) symlinkSync(readlinkSync(join(from, name)), join(to, name));
}

/** Returns the same environment on every machine: no colours, no local settings, a fixed author and date for git. */
function environmentIn(copy, home) {
  const date = "2026-03-02T08:00:00Z";
  return {
    PATH: [join(copy, "node_modules", ".bin"), dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(
      ":",
    ),
    HOME: home,
    TMPDIR: home,
    TZ: "UTC",
    LANG: "C.UTF-8",
    LC_ALL: "C.UTF-8",
    NO_COLOR: "1",
    CI: "true",
    TURBO_TELEMETRY_DISABLED: "1",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Example",
    GIT_AUTHOR_EMAIL: "example@example.com",
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: "Example",
    GIT_COMMITTER_EMAIL: "example@example.com",
    GIT_COMMITTER_DATE: date,
  };
}
