// Checks that imports go where they may. The rules are in prose; a failure prints its rule:
import { fileURLToPath } from "node:url";
import { checkTree } from "./arrows/check-tree.mjs";

export const RULES = {
  packages:
    "Between packages, arrows only point downward. core imports no other package. tokenizers, strategies, summarizers, " +
    "renderer, rehydration, stores and importers import core and not each other: what one needs from another it gets " +
    "through a port in core. turn may import core, strategies, renderer and summarizers; session all of these. integrations, golden and simulation sit on top of " +
    "session (golden shows differences with the inspector), cli on top of integrations and simulation, threadfold on top of cli, apps on top of everything; nothing " +
    "imports an app. A package is imported by its name.",
  order:
    "Inside src the folders of a package form one order, listed in scripts/arrows/rooms.mjs: each imports only from those " +
    "before it, and the files of src itself come last. Sibling folders never depend on each other, at any depth. " +
    "The list of folders reads as the pipeline. (Tests are exempt.)",
  "core-pure":
    "core does no I/O and knows no clock, no randomness, no locale and no host, so that the same input produces the same " +
    "bytes everywhere: no node: imports, no Date.now or new Date() without an argument, no Math.random, no timers, no " +
    "fetch, no process. It depends on zod, immer, @noble/hashes and snowball-stemmers only. Clocks and identifiers are passed in as arguments. " +
    "Tests and laws are exempt. The exceptions are listed with their reasons in scripts/arrows/rooms.mjs.",
  cycles:
    "No file imports itself through others, not even for types: whoever reads one file of a cycle has to read them all.",
  barrels:
    "index.ts is a package's entry point and exists only there: the package's own files import each other directly, " +
    "because a barrel between them makes cycles. (A test may import the entry point.)",
  once:
    "A file lists the names that it imports from another one in one statement, and those that it re-exports in one " +
    "more: several statements are left over from merging files.",
  files: "A relative import names a source file of its package with its extension, exactly as it is on disk.",
  declared: "A package imports only what its own package.json declares, so that it also works when installed alone.",
};

/** Prints the rules that are broken, each once with its places. @returns {number} the exit code */
export function reportArrows(root, print = console.log) {
  const broken = checkTree(root);
  for (const [rule, prose] of Object.entries(RULES)) {
    const places = broken.filter((found) => found.rule === rule);
    if (places.length === 0) continue;
    print(`\n${prose}\nThis is broken ${places.length === 1 ? "once" : `${places.length} times`}:`);
    for (const { where, what } of places) print(`  ${where}  ${what}`);
  }
  print(broken.length === 0 ? "Arrows: all imports are allowed." : `\nArrows: ${broken.length} wrong.`);
  return broken.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = reportArrows(fileURLToPath(new URL("..", import.meta.url)));
}
