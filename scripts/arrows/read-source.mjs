// What a source file imports and which of the host's names it uses, read from its syntax tree.
import { parseSync } from "oxc-parser";
import { ScopeTracker, walk } from "oxc-walker";
import { IMPURE_NAMES, LOCALE_METHODS } from "./rooms.mjs";

/**
 * Parses one file.
 * @returns {{ imports: { specifier: string, lists: string | null, line: number }[],
 *   impurities: { name: string, why: string, line: number }[] }} imports of every kind (static, re-export, dynamic,
 *   `import("…")` types), including type-only ones; `lists` is the type of a statement that only lists names
 */
export function readSource(path, text) {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0].message}`);
  const lineAt = (offset) => text.slice(0, offset).split("\n").length;
  const located = ({ node, ...found }) => ({ ...found, line: lineAt(node.start) });
  return { imports: findImports(program).map(located), impurities: findImpurities(program).map(located) };
}

function findImports(program) {
  const imports = [];
  walk(program, {
    enter(node) {
      const source = node.source ?? (node.type === "TSExternalModuleReference" ? node.expression : undefined);
      if (!IMPORTING.has(node.type) || !source) return;
      const value = source.type === "Literal" ? source.value : undefined;
      imports.push({ node, specifier: typeof value === "string" ? value : "(computed)", lists: listing(node) });
    },
  });
  return imports;
}

/** `import { … }` and `export { … }` list names; a default or a whole module needs a separate statement. */
function listing({ type, specifiers = [] }) {
  const listed = (specifier) => /^(Import|Export)Specifier$/.test(specifier.type);
  return specifiers.length > 0 && specifiers.every(listed) ? type : null;
}

const IMPORTING = new Set([
  "ImportDeclaration",
  "ExportNamedDeclaration",
  "ExportAllDeclaration",
  "ImportExpression",
  "TSImportType",
  "TSExternalModuleReference",
]);

/**
 * Returns references to names of the host that no scope of the file declares. Types are erased, so they are skipped.
 */
function findImpurities(program) {
  const scopeTracker = new ScopeTracker({ preserveExitedScopes: true });
  walk(program, { scopeTracker });
  scopeTracker.freeze();
  const found = [];
  walk(program, {
    scopeTracker,
    enter(node, parent) {
      if (ERASED.has(node.type)) return this.skip();
      const impurity = impurityOf(node, parent);
      if (impurity !== undefined && !scopeTracker.isDeclared(impurity.global)) found.push({ node, ...impurity });
    },
  });
  return found;
}

const ERASED = new Set([
  "TSTypeAnnotation",
  "TSTypeParameterInstantiation",
  "TSTypeParameterDeclaration",
  "TSTypeAliasDeclaration",
  "TSInterfaceDeclaration",
  "TSTypeLiteral",
  "TSTypeReference",
  "TSTypeQuery",
  "ImportDeclaration",
]);

function impurityOf(node, parent) {
  if (node.type === "MemberExpression" && !node.computed && LOCALE_METHODS.includes(node.property.name)) {
    return { name: `.${node.property.name}`, why: "the machine's locale" };
  }
  if (node.type !== "Identifier" || !isReference(node, parent)) return undefined;
  if (node.name === "Date") return impureDate(parent);
  if (node.name === "Math") return impureMath(node, parent);
  if (!Object.hasOwn(IMPURE_NAMES, node.name)) return undefined;
  return { name: node.name, why: IMPURE_NAMES[node.name], global: node.name };
}

/** A name in `x.name`, `{ name: x }` or a label is not a reference to a variable. */
function isReference(node, parent) {
  if (parent === null) return false;
  if (parent.type === "MemberExpression") return parent.object === node || parent.computed;
  if (parent.type === "Property") return parent.value === node || parent.computed;
  if (/^(PropertyDefinition|MethodDefinition|AccessorProperty)$/.test(parent.type))
    return parent.value === node || parent.computed;
  return !/^(LabeledStatement|BreakStatement|ContinueStatement|ExportSpecifier|MetaProperty)$/.test(parent.type);
}

/** `new Date(value)`, `Date.parse` and `Date.UTC` are functions of their arguments; every other use may read the clock. */
function impureDate(parent) {
  if (parent.type === "NewExpression" && parent.arguments.length > 0) return undefined;
  if (parent.type === "BinaryExpression" && parent.operator === "instanceof") return undefined;
  if (isMember(parent) && ["parse", "UTC", "prototype"].includes(memberName(parent))) return undefined;
  const name = isMember(parent)
    ? `Date.${memberName(parent)}`
    : parent.type === "NewExpression"
      ? "new Date()"
      : "Date";
  return { name, why: "the clock", global: "Date" };
}

/** `Math.random` is random, and so may be a use of a `Math` that is passed on. */
function impureMath(node, parent) {
  if (isMember(parent) && parent.object === node && memberName(parent) !== "random") return undefined;
  return { name: isMember(parent) ? "Math.random" : "Math", why: "randomness", global: "Math" };
}

const isMember = (node) => node.type === "MemberExpression";

const memberName = ({ computed, property }) => (computed ? property.value : property.name);
