// The rules, one function each. Every rule returns the places that break it.
import { isBuiltin } from "node:module";
import { posix } from "node:path";
import { findCycles } from "./find-cycles.mjs";
import { readRootManifest, readTree } from "./read-tree.mjs";
import { APPS_IMPORT, CORE_DEPENDENCIES, EXCEPTIONS, FOLDER_ORDER, PACKAGE_ARROWS } from "./rooms.mjs";

/**
 * Checks the tree under `root`.
 * @returns {{ rule: string, where: string, what: string }[]} the places that break a rule; `rule` is a key of RULES
 */
export function checkTree(root) {
  const packages = readTree(root);
  const tools = Object.keys(readRootManifest(root).devDependencies ?? {});
  return [
    ...packages.flatMap((room) => [
      ...checkPackageArrows(room, packages),
      ...checkDeclared(room, tools),
      ...checkPaths(room),
      ...checkOnce(room),
      ...checkFolderOrder(room),
      ...checkFolderCycles(room),
    ]),
    ...checkCycles(packages),
    ...packages.filter(({ name }) => name === "@threadfold/core").flatMap(checkCore),
  ];
}

/** Imports and declared dependencies between packages point only downward. */
function checkPackageArrows(room, packages) {
  const allowed = room.kind === "apps" ? APPS_IMPORT : PACKAGE_ARROWS[room.folder];
  const where = `${room.kind}/${room.folder}/package.json`;
  if (allowed === undefined)
    return [broken("packages", where, `the package ${room.folder} has no entry in scripts/arrows/rooms.mjs`)];
  const folderOf = new Map(
    packages.map(({ name, kind, folder }) => [name, kind === "apps" ? `apps/${folder}` : folder]),
  );
  const isWrong = (name) => folderOf.has(name) && name !== room.name && !allowed.includes(folderOf.get(name));
  const says = (name) =>
    `${room.folder} imports ${folderOf.get(name)}; it may import ${allowed.join(", ") || "no other package"}`;
  const declared = Object.keys(room.manifest.dependencies ?? {}).filter(isWrong);
  return [
    ...declared.map((name) => broken("packages", where, says(name))),
    ...importsOf(room)
      .filter(({ specifier }) => isWrong(packageName(specifier)))
      .map((found) => broken("packages", found.where, says(packageName(found.specifier)))),
  ];
}

/**
 * A package imports only what its package.json declares, as a dependency or as something that its build inlines
 * (`inlinedDependencies`); its tests may also use the root's development tools.
 */
function checkDeclared({ manifest, name, ...room }, tools) {
  const { dependencies, peerDependencies, optionalDependencies, inlinedDependencies } = manifest;
  const own = [dependencies, peerDependencies, optionalDependencies, inlinedDependencies].flatMap((list) =>
    Object.keys(list ?? {}),
  );
  const forTests = [...own, ...Object.keys(manifest.devDependencies ?? {}), ...tools, name];
  return importsOf(room)
    .filter(({ specifier }) => !specifier.startsWith(".") && !isBuiltin(specifier))
    .filter(({ specifier, file }) => !(file.isTest ? forTests : own).includes(packageName(specifier)))
    .map(({ specifier, where }) =>
      packageName(specifier) === name
        ? broken("barrels", where, `a file of ${name} imports its own package`)
        : broken("declared", where, `${specifier} is not in the dependencies of ${name}`),
    );
}

/**
 * Within a package, files import each other directly: not through index.ts, and never beyond the package's boundary.
 */
function checkPaths(room) {
  const home = `${room.kind}/${room.folder}/`;
  const sources = new Set(room.files.map(({ path }) => path));
  return importsOf(room)
    .filter(({ specifier }) => specifier.startsWith("."))
    .flatMap(({ specifier, file, where }) => {
      const target = posix.join(posix.dirname(file.path), specifier);
      if (!target.startsWith(home))
        return [broken("packages", where, `${specifier} is outside the package; import it by its name`)];
      if (target.startsWith(`${home}dist/`) && file.path.startsWith(`${home}bin/`)) return [];
      if (!sources.has(target) && !/\.json$/.test(target))
        return [broken("files", where, `${specifier} does not name a source file`)];
      const fromEdge = file.isTest || posix.dirname(file.path) === `${home}bin`;
      return posix.basename(target) === "index.ts" && !fromEdge
        ? [broken("barrels", where, `imports the barrel ${specifier}`)]
        : [];
    });
}

/** Names from one module are listed in one statement per kind. */
function checkOnce({ files }) {
  return files.flatMap(({ path, imports }) => {
    const seen = new Set();
    return imports
      .filter(({ lists }) => lists !== null)
      .filter(({ specifier, lists }) => {
        const key = `${lists} ${specifier}`;
        return seen.has(key) || !seen.add(key);
      })
      .map(({ specifier, line }) => broken("once", `${path}:${line}`, `lists names from ${specifier} a second time`));
  });
}

function checkCycles(packages) {
  const files = packages.flatMap((room) => room.files);
  const imports = new Map(
    files.map(({ path, imports: found }) => [
      path,
      found
        .filter(({ specifier }) => specifier.startsWith("."))
        .map(({ specifier }) => posix.join(posix.dirname(path), specifier)),
    ]),
  );
  return findCycles(imports).map((cycle) => broken("cycles", cycle[0], cycle.join(" → ")));
}

/** The folders of a package form one order. Tests may import forward, because a test needs more than what it tests. */
function checkFolderOrder(room) {
  const order = FOLDER_ORDER[room.folder] ?? [];
  const placeOf = (folder) => (folder === "" ? order.length : order.indexOf(folder));
  const named = (folder) => (folder === "" ? "a file of src itself" : folder);
  return sourcesOf(room).flatMap((file) => {
    const folder = topFolder(room, file.path);
    if (placeOf(folder) < 0) return [broken("order", file.path, `the folder ${folder} is not in the order`)];
    return targetsOf(file)
      .map(({ target, line }) => ({ line, to: topFolder(room, target) }))
      .filter(({ to }) => to !== undefined && placeOf(to) > placeOf(folder))
      .map(({ to, line }) =>
        broken("order", `${file.path}:${line}`, `${folder} imports ${named(to)}, which comes after it`),
      );
  });
}

/** Sibling folders do not depend on each other, at any depth. */
function checkFolderCycles(room) {
  const arrows = new Map();
  for (const file of sourcesOf(room))
    for (const { target } of targetsOf(file)) {
      const [from, to] = parting(posix.dirname(file.path), posix.dirname(target));
      if (from !== undefined && to !== undefined) arrows.set(from, (arrows.get(from) ?? new Set()).add(to));
    }
  const imports = new Map([...arrows].map(([from, to]) => [from, [...to]]));
  return findCycles(imports).map((cycle) => broken("order", cycle[0], `folders in a cycle: ${cycle.join(" → ")}`));
}

/**
 * Returns where the paths to two folders diverge: two sibling folders, one on each path; undefined for a path that ends
 * before that.
 */
function parting(one, other) {
  const [left, right] = [one.split("/"), other.split("/")];
  const at = left.findIndex((name, index) => name !== right[index]);
  const upTo = (names) => (at >= 0 && at < names.length ? names.slice(0, at + 1).join("/") : undefined);
  return [upTo(left), upTo(right)];
}

function checkCore(core) {
  const pure = core.files.filter(({ path, isTest }) => !isTest && topFolder(core, path) !== "laws");
  return [...checkCoreDependencies(core, pure), ...checkCorePurity(pure)];
}

function checkCoreDependencies({ manifest }, pure) {
  const declared = Object.keys(manifest.dependencies ?? {}).filter((name) => !CORE_DEPENDENCIES.includes(name));
  return [
    ...declared.map((name) => broken("core-pure", "packages/core/package.json", `depends on ${name}`)),
    ...importsOf({ files: pure })
      .filter(({ specifier }) => !specifier.startsWith(".") && !CORE_DEPENDENCIES.includes(packageName(specifier)))
      .map(({ specifier, where }) => broken("core-pure", where, `imports ${specifier}`)),
  ];
}

function checkCorePurity(pure) {
  const found = pure.flatMap((file) => file.impurities.map((impurity) => ({ ...impurity, path: file.path })));
  const excuses = ({ path, name }) =>
    EXCEPTIONS.find((exception) => exception.file === path && exception.name === name);
  const used = new Set(found.map(excuses));
  return [
    ...found
      .filter((impurity) => !excuses(impurity))
      .map(({ path, line, name, why }) => broken("core-pure", `${path}:${line}`, `uses ${name} (${why})`)),
    ...EXCEPTIONS.filter(({ file }) => pure.some(({ path }) => path === file))
      .filter((exception) => !used.has(exception))
      .map(({ file, name }) =>
        broken("core-pure", file, `no longer uses ${name}: remove its exception from scripts/arrows/rooms.mjs`),
      ),
  ];
}

/**
 * Returns the folder of a package's src that contains a path; empty for a file directly in src, undefined outside src.
 */
function topFolder(room, path) {
  const home = `${room.kind}/${room.folder}/src/`;
  if (!path.startsWith(home)) return undefined;
  const [folder, ...rest] = path.slice(home.length).split("/");
  return rest.length > 0 ? folder : "";
}

/** Returns the files of a package's src that are not tests. */
const sourcesOf = (room) => room.files.filter(({ path, isTest }) => !isTest && topFolder(room, path) !== undefined);

/** Returns the files of the same package that a file imports. */
const targetsOf = ({ path, imports }) =>
  imports
    .filter(({ specifier }) => specifier.startsWith("."))
    .map(({ specifier, line }) => ({ line, target: posix.join(posix.dirname(path), specifier) }));

function importsOf({ files }) {
  return files.flatMap((file) =>
    file.imports.map(({ specifier, line }) => ({ specifier, file, where: `${file.path}:${line}` })),
  );
}

const packageName = (specifier) => specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");

const broken = (rule, where, what) => ({ rule, where, what });
