// The packages and apps of the repository.
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** Every package and app as `{ path, manifest }`, the path relative to `from`, sorted. */
export function readWorkspaces(from = root) {
  return globSync("{packages,apps}/*/package.json", { cwd: from })
    .sort()
    .map((file) => ({ path: dirname(file), manifest: JSON.parse(readFileSync(join(from, file), "utf8")) }));
}
