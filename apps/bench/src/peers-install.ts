import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { AbsentPeer, Peer } from "./peer.ts";

/** The folder of the peers: a package of its own with its own lockfile. */
const FOLDER = resolve(import.meta.dirname, "../peers");
const LOCKFILE = join(FOLDER, "package-lock.json");
/** A copy of the lockfile that was installed: an install that was broken off has none. */
const INSTALLED = join(FOLDER, "node_modules/.installed-lockfile.json");

/** True when just the peers of the lockfile are there. */
export function arePeersInstalled(): boolean {
  return existsSync(INSTALLED) && readFileSync(INSTALLED).equals(readFileSync(LOCKFILE));
}

/**
 * Installs the peers from their own lockfile, unless just these are there. Returns the seconds that it took, 0 when
 * nothing was to be done.
 */
export function installPeers(): number {
  if (arePeersInstalled()) return 0;
  const start = performance.now();
  const npm = process.env["npm_execpath"];
  const [command, ...before] = npm === undefined ? ["npm"] : [process.execPath, npm];
  execFileSync(command as string, [...before, "ci", "--no-audit", "--no-fund"], {
    cwd: FOLDER,
    stdio: ["ignore", "ignore", "inherit"],
    env: withoutNpmConfig(process.env),
  });
  mkdirSync(join(FOLDER, "node_modules"), { recursive: true });
  copyFileSync(LOCKFILE, INSTALLED);
  return (performance.now() - start) / 1_000;
}

/** Under `npm run -w` npm hands its own workspace settings down; the peers are not a workspace. */
function withoutNpmConfig(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^npm_config_(?:workspace|local_prefix|prefix|global)/i.test(name)),
  );
}

/** Every peer that the folder has an adapter for. */
export function listedPeers(): readonly Peer[] {
  return JSON.parse(readFileSync(join(FOLDER, "peers.json"), "utf8")) as readonly Peer[];
}

/** The script of a worker: with the peers where they are installed, else without. */
export function workerScript(withPeers: string, without: string): string {
  return arePeersInstalled() ? join(FOLDER, "src", withPeers) : join(import.meta.dirname, without);
}

/** The peers that cannot be compared, and why. */
export function absentPeers(): readonly AbsentPeer[] {
  return JSON.parse(readFileSync(join(FOLDER, "not-run.json"), "utf8")) as readonly AbsentPeer[];
}

/** The installed version of a peer's package. */
export function peerVersion(name: string): string {
  const manifest = readFileSync(join(FOLDER, "node_modules", name, "package.json"), "utf8");
  return (JSON.parse(manifest) as { readonly version: string }).version;
}
