#!/usr/bin/env node
// The command's door. It stands in the repository and not in dist, because npm links a command when it installs, and
// only if its file is there by then; dist is built later.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 13)) {
  process.stderr.write(`threadfold needs Node 22.13 or newer; this is Node ${process.versions.node}.\n`);
  process.exit(1);
}
// Taken from process and not imported, because an import of a built-in module loads all that the module can do.
const { createRequire, enableCompileCache } = process.getBuiltinModule("node:module");
// From the second start on, Node takes the compiled command from its cache instead of compiling it again.
// Not every runtime that Threadfold runs on has one.
enableCompileCache?.();
try {
  createRequire(import.meta.url)("../dist/main.cjs");
} catch (error) {
  if (error.code !== "MODULE_NOT_FOUND") throw error;
  process.stderr.write("threadfold is not built yet. Build it with: npm run build\n");
  process.exit(1);
}
