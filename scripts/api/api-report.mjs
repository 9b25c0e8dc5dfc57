// The declarations that the packages' entries export, without comments: one page per package under docs/api. Read from
// the declarations that a build writes, so that the pages show what users get.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { parseSync } from "oxc-parser";
import { readWorkspaces } from "../workspaces.mjs";

/** Returns every page by its path relative to the root. Packages without declarations have no page. */
export function apiPages(root) {
  const packages = readWorkspaces(root).filter(({ path }) => path.startsWith("packages"));
  return Object.fromEntries(
    packages
      .map(({ path, manifest }) => [`docs/api/${path.split(/[\\/]/).at(-1)}.md`, pageOf(join(root, path), manifest)])
      .filter(([, page]) => page !== null),
  );
}

function pageOf(folder, { name, exports = {} }) {
  const entries = Object.entries(exports).flatMap(([entry, target]) =>
    typeof target?.types === "string" ? [[posix.join(name, entry), join(folder, target.types)]] : [],
  );
  if (entries.length === 0) return null;
  const sections = entries.map(([entry, file]) => `## ${entry}\n\n\`\`\`ts\n${entryText(file)}\n\`\`\``);
  return `# ${name}\n\nWritten by \`npm run api\` from the build; the check fails on a difference until running that command accepts it.\n\n${sections.join("\n\n")}\n`;
}

/** Returns the declarations that an entry exports, sorted by name. */
export function entryText(file) {
  const module = readDeclarations(file);
  const lines = [...module.exported.keys()].sort(byLetters).map((name) => textOf(module, name));
  return [...module.stars.map((from) => `export * from "${from}";`), ...lines].join("\n");
}

const byLetters = (one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1);

function textOf(module, name) {
  const { from, local } = module.exported.get(name) ?? {};
  if (from !== undefined) return elsewhere(module, from, local, name);
  const found = module.declared.get(local);
  if (found !== undefined) return found.map((text) => renamed(text, local, name)).join("\n");
  const imported = module.imported.get(local);
  if (imported !== undefined) return elsewhere(module, imported.from, imported.name, name);
  throw new Error(`${module.file} exports ${name}, which is not declared anywhere.`);
}

/** Returns a declaration from another file of the build, or a re-export from the package that it comes from. */
function elsewhere(module, from, name, as) {
  if (!from.startsWith(".")) return `export { ${name === as ? name : `${name} as ${as}`} } from "${from}";`;
  return renamed(textOf(readDeclarations(join(dirname(module.file), from.replace(/\.js$/, ".d.ts"))), name), name, as);
}

/** Undoes the numbers that the build adds to ambiguous names, and its abbreviations of names from neighboring files. */
function renamed(text, from, to) {
  const plain = text.replaceAll(/\b(\w+)\$\d+\b/g, "$1");
  return plain.replace(
    new RegExp(`(?<![\\w$])${from.replace(/\$\d+$/, "").replaceAll("$", "\\$")}(?![\\w$])`),
    () => to,
  );
}

const read = new Map();

function readDeclarations(file) {
  const known = read.get(file);
  if (known !== undefined) return known;
  if (!existsSync(file)) throw new Error(`${file} does not exist: build first.`);
  const source = readFileSync(file, "utf8");
  const { program, comments } = parseSync(file, source);
  const module = { file, declared: new Map(), imported: new Map(), exported: new Map(), stars: [] };
  for (const node of program.body) readStatement(module, node, withoutComments(source, comments, node));
  read.set(file, module);
  return module;
}

function readStatement(module, node, text) {
  if (node.type === "ImportDeclaration")
    for (const { local, imported } of node.specifiers)
      module.imported.set(local.name, { from: node.source.value, name: imported?.name ?? "*" });
  else if (node.type === "ExportAllDeclaration") module.stars.push(node.source.value);
  else if (node.type === "ExportNamedDeclaration" && node.declaration === null)
    for (const { local, exported } of node.specifiers)
      module.exported.set(exported.name, { local: local.name, from: node.source?.value });
  else if (node.type === "ExportNamedDeclaration") {
    readStatement(module, node.declaration, text.replace(/^export /, ""));
    for (const name of namesOf(node.declaration)) module.exported.set(name, { local: name });
  } else for (const name of namesOf(node)) module.declared.set(name, [...(module.declared.get(name) ?? []), text]);
}

function namesOf(node) {
  if (node.type === "VariableDeclaration") return node.declarations.map(({ id }) => id.name);
  return node.id?.name === undefined ? [] : [node.id.name];
}

/** Returns the source of a statement without comments: comments may change without the interface changing. */
function withoutComments(source, comments, { start, end }) {
  let text = "";
  let at = start;
  for (const comment of comments.filter((one) => one.start >= start && one.end <= end)) {
    text += source.slice(at, comment.start);
    at = comment.end;
  }
  return `${text}${source.slice(at, end)}`.replace(/^[ \t]*\n/gm, "").replace(/^declare /, "");
}
