// Packs the publishable packages as a registry would get them: `node scripts/pack-packages.mjs FOLDER`. Build first.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { npm } from "./npm.mjs";
import { readWorkspaces, root } from "./workspaces.mjs";

/**
 * Packs every publishable package from its `dist` into a folder, which is created if it does not exist.
 *
 * @returns {Promise<{ name: string, version: string, integrity: string, file: string, manifest: object }[]>} the
 * tarballs, with each one's manifest, sorted by name
 */
export async function packPackages(folder) {
  mkdirSync(folder, { recursive: true });
  const packages = readWorkspaces().filter(({ manifest }) => !manifest.private);
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const packed = JSON.parse(await npm([...args, ...packages.flatMap(({ path }) => ["-w", path])], { cwd: root }));
  return packages.map(({ manifest }) => {
    const { version, integrity, filename } = packed.find(({ name }) => name === manifest.name);
    return { name: manifest.name, version, integrity, file: join(folder, filename), manifest };
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) {
    console.error("Name the target folder: node scripts/pack-packages.mjs FOLDER");
    process.exitCode = 2;
  } else for (const { name, version, file } of await packPackages(folder)) console.log(`${name}@${version} ${file}`);
}
