// Accepts the packages' interfaces as built: writes docs/api.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../workspaces.mjs";
import { apiPages } from "./api-report.mjs";

for (const [path, page] of Object.entries(apiPages(root))) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), page);
  console.log(`Wrote ${path}.`);
}
