// A registry on the loopback for `npm install` as a reader types it: it has the packed packages of this repository, and
// every other package exactly as installed in the workspace. So what is installed is what package-lock.json names,
// without using a network.
import { spawn } from "node:child_process";
import { createReadStream, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { root } from "../workspaces.mjs";

/**
 * Starts a registry.
 *
 * @param packed what `packPackages` returned
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function startPackageRegistry(packed) {
  const catalogue = new Map();
  const add = (name, version, entry) => catalogue.set(name, new Map(catalogue.get(name)).set(version, entry));
  for (const { name, version, integrity, file, manifest } of packed)
    add(name, version, { manifest, integrity, send: (response) => pipeline(createReadStream(file), response) });
  for (const { manifest, folder } of installedPackages())
    add(manifest.name, manifest.version, { manifest, send: (response) => sendFolder(folder, response) });

  const server = createServer((request, response) => {
    const [name, version] = decodeURIComponent(request.url.slice(1)).split("/-/");
    const entry = catalogue.get(name)?.get(version);
    if (entry !== undefined) entry.send(response.writeHead(200)).catch(() => response.destroy());
    else if (version === undefined && catalogue.has(name)) response.end(packument(name, catalogue.get(name), url()));
    else response.writeHead(404).end(JSON.stringify({ error: "not_found" }));
  });
  const url = () => `http://127.0.0.1:${server.address().port}`;
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: url(),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Returns what npm requests for a package: its versions with their manifests, and the addresses of their tarballs. */
function packument(name, versions, url) {
  const [newest] = [...versions.keys()].slice(-1);
  return JSON.stringify({
    name,
    "dist-tags": { latest: newest },
    versions: Object.fromEntries(
      [...versions].map(([version, { manifest, integrity }]) => [
        version,
        { ...manifest, dist: { tarball: `${url}/${name}/-/${version}`, integrity } },
      ]),
    ),
  });
}

/**
 * Returns the third-party packages installed in the workspace; for one with several versions, the version that all
 * packages find comes last.
 */
function installedPackages() {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const installed = Object.keys(packages)
    .filter((path) => path.startsWith("node_modules/") && !packages[path].link)
    .filter((path) => existsSync(join(root, path, "package.json")))
    .map((path) => ({ path, manifest: JSON.parse(readFileSync(join(root, path, "package.json"), "utf8")) }));
  const isForAll = ({ path, manifest }) => path === `node_modules/${manifest.name}`;
  return [...installed.filter((one) => !isForAll(one)), ...installed.filter(isForAll)].map(({ path, manifest }) => ({
    folder: join(root, path),
    manifest,
  }));
}

/** Sends an installed package as its original tarball: its files under `package/`, without packages nested in it. */
async function sendFolder(folder, response) {
  const place = mkdtempSync(join(tmpdir(), "threadfold-tarball-"));
  try {
    symlinkSync(folder, join(place, "package"), "junction");
    const tar = spawn("tar", ["-C", place, "--exclude=package/node_modules", "-chf", "-", "package"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await pipeline(tar.stdout, response);
  } finally {
    rmSync(place, { recursive: true });
  }
}
