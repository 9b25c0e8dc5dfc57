// Makes node_modules match package-lock.json. Runs before anything is installed and on any Node from 20 on, so it uses
// nothing but Node itself. What it installs includes the Node that the project is pinned to: npm puts node_modules/.bin
// first in PATH, so every npm script that starts after this one runs on that Node.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const OLDEST_NODE = [22, 13];

if (differences().length > 0) await install();
if (unlinkedWorkspaces().length > 0) await npm(["rebuild", ...unlinkedWorkspaces()]);
checkNode();

/**
 * Returns where node_modules differs from the lockfile, one line each. Compares contents and not file times: a fresh
 * clone, a switched branch and a restored cache all have meaningless times.
 */
function differences() {
  const installed = readPackages("node_modules/.package-lock.json") ?? {};
  const wanted = readPackages("package-lock.json");
  const missing = Object.keys(wanted).filter(
    (path) => path !== "" && !(path in installed) && belongsHere(wanted[path]),
  );
  const others = Object.keys(installed).filter((path) => !sameAs(installed[path], wanted[path]));
  return [...missing.map((path) => `${path} is missing`), ...others.map((path) => `${path} has a different version`)];
}

/** An optional package is expected only if it is built for this platform. */
function belongsHere({ optional, os, cpu, libc }) {
  if (!optional) return true;
  return (
    os !== undefined && cpu !== undefined && lists(os, process.platform) && lists(cpu, process.arch) && fitsLibc(libc)
  );
}

function lists(accepted, name) {
  return [accepted].flat().includes(name);
}

function fitsLibc(libc) {
  if (libc === undefined) return true;
  return lists(libc, process.report.getReport().header.glibcVersionRuntime === undefined ? "musl" : "glibc");
}

function sameAs(installed, wanted) {
  if (wanted === undefined) return false;
  const identity = ({ version, integrity, link, bin }) => JSON.stringify([version, integrity, link, bin]);
  return identity(installed) === identity(wanted);
}

/**
 * Returns workspaces whose command npm has not linked: npm links commands that exist when it installs, not later ones.
 */
function unlinkedWorkspaces() {
  const packages = readPackages("package-lock.json");
  const commandsOf = ({ link, resolved }) => Object.keys((link && packages[resolved].bin) || {});
  const isLinked = (command) => existsSync(join(root, "node_modules", ".bin", command));
  return Object.keys(packages)
    .filter((path) => !commandsOf(packages[path]).every(isLinked))
    .map((path) => path.replace("node_modules/", ""));
}

function readPackages(path) {
  const file = join(root, path);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).packages : undefined;
}

async function install() {
  console.log(
    "Setting up: installing the packages in package-lock.json (npm's registry is the only network access) ...",
  );
  const started = performance.now();
  const { status, output } = await npm(["ci", "--loglevel=error", "--no-progress"]);
  if (status !== 0) fail(`npm ci exited with code ${status}.\n${output}`);
  const left = differences();
  if (left.length > 0) {
    fail(
      `package-lock.json does not match the package.json files: ${left.join(", ")}. Run npm run lockfile and commit package-lock.json.`,
    );
  }
  console.log(`Setting up: done in ${((performance.now() - started) / 1000).toFixed(0)} s.`);
}

/** Runs npm on the Node it was started with, because this process may be running on the one inside node_modules. */
function npm(args) {
  const { npm_execpath: cli, npm_node_execpath: node = process.execPath } = process.env;
  const [command, ...first] = cli ? [node, cli] : ["npm"];
  const child = spawn(command, [...first, ...args], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  }
  return new Promise((resolve) => {
    child.on("error", (error) => resolve({ status: 1, output: error.message }));
    child.on("close", (status) => resolve({ status: status ?? 1, output }));
  });
}

function checkNode() {
  const pinned = join(root, "node_modules", ".bin", process.platform === "win32" ? "node.cmd" : "node");
  const node = existsSync(pinned) ? pinned : process.execPath;
  const { stdout } = spawnSync(node, ["--version"], { encoding: "utf8", shell: process.platform === "win32" });
  const [major, minor] = (stdout ?? "").trim().replace("v", "").split(".").map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  fail(
    `Threadfold needs Node ${OLDEST_NODE.join(".")} or newer; ${node} reports ${(stdout ?? "").trim() || "nothing"}, and the ` +
      "project installs its own Node only for Linux and Windows on x64 and Linux on arm64.",
  );
}

function fail(reason) {
  console.error(`Setup failed: ${reason}`);
  process.exit(1);
}
