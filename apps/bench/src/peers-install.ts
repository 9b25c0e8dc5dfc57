import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { AbsentPeer, Peer } from "./peer.ts";

/** The folder of the peers: a separate package with its own lockfile. */
const FOLDER = resolve(import.meta.dirname, "../peers");
const LOCKFILE = join(FOLDER, "package-lock.json");
/** A copy of the lockfile that was installed: an aborted install does not have one. */
const INSTALLED = join(FOLDER, "node_modules/.installed-lockfile.json");

/** Checks whether exactly the peers of the lockfile are installed. */
export function arePeersInstalled(): boolean {
  return existsSync(INSTALLED) && readFileSync(INSTALLED).equals(readFileSync(LOCKFILE));
}

/**
 * Installs the peers from their own lockfile, unless exactly these are installed. Returns the seconds it took, 0 if
 * there was nothing to do.
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

/** Under `npm run -w`, npm passes on its own workspace settings; the peers are not a workspace. */
function withoutNpmConfig(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^npm_config_(?:workspace|local_prefix|prefix|global)/i.test(name)),
  );
}

/** Returns every peer that the folder has an adapter for. */
export function listedPeers(): readonly Peer[] {
  return JSON.parse(readFileSync(join(FOLDER, "peers.json"), "utf8")) as readonly Peer[];
}

/** Returns the script of a worker: with the peers if they are installed, otherwise without. */
export function workerScript(withPeers: string, without: string): string {
  return arePeersInstalled() ? join(FOLDER, "src", withPeers) : join(import.meta.dirname, without);
}

/** Returns the peers that cannot be compared, and why. */
export function absentPeers(): readonly AbsentPeer[] {
  return JSON.parse(readFileSync(join(FOLDER, "not-run.json"), "utf8")) as readonly AbsentPeer[];
}

/** Returns the installed version of a peer's package. */
export function peerVersion(name: string): string {
  const manifest = readFileSync(join(FOLDER, "node_modules", name, "package.json"), "utf8");
  return (JSON.parse(manifest) as { readonly version: string }).version;
}
