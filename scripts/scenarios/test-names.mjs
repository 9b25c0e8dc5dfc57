// The names of tests as written in source files, without running anything.
import { parseSync } from "oxc-parser";
import { walk } from "oxc-walker";

const RUNNERS = new Set(["it", "test", "describe"]);
/** A scenario (`S1`) or a requirement (`goat-14`). */
const ID = String.raw`[A-Z]\d+|[a-z]+(?:-[a-z]+)*-\d+`;
/** `S1`, `S1 S2`, `S1, S2:`; the rest of the name is the test's description. */
export const LEADING_IDS = new RegExp(`^((?:(?:${ID})[,:]? )+)`);

/**
 * @returns {string[]} names of tests and suites, including rows of `each` tables, and of laws, each of which is a test
 */
export function testNames(path, source) {
  const names = [];
  walk(parseSync(path, source).program, {
    enter(node) {
      if (node.type === "ObjectExpression") names.push(lawName(node));
      if (node.type !== "CallExpression" || !isRunner(node.callee)) return;
      const table = tableOf(node.callee);
      names.push(...(table ?? []), textOf(node.arguments[0]));
    },
  });
  return names.filter((name) => name !== undefined);
}

/** @returns {string[]} the ids of scenarios and requirements that a test's name begins with */
export function leadingIds(name) {
  return LEADING_IDS.exec(name)?.[1].match(new RegExp(ID, "g")) ?? [];
}

/** Returns the name of an object that is a law: one that has a `broken` or a `holds` property. */
function lawName({ properties }) {
  const named = (name) => properties.find(({ key }) => key?.name === name);
  const name = named("name");
  return name !== undefined && (named("broken") ?? named("holds")) !== undefined ? textOf(name.value) : undefined;
}

/** True for `it`, and for `it.each(...)`, `it.skipIf(...)`, `describe.only` and the like. */
function isRunner(callee) {
  if (callee.type === "Identifier") return RUNNERS.has(callee.name);
  if (callee.type === "MemberExpression") return isRunner(callee.object);
  return callee.type === "CallExpression" && isRunner(callee.callee);
}

/** Returns the first text in each row of the table that `it.each(table)` was called with. */
function tableOf(callee) {
  if (callee.type !== "CallExpression" || callee.callee.property?.name !== "each") return undefined;
  const table = unwrapped(callee.arguments[0]);
  if (table?.type !== "ArrayExpression") return undefined;
  return table.elements.map((row) => textOf(row?.type === "ArrayExpression" ? row.elements[0] : row));
}

function textOf(node) {
  const text = unwrapped(node);
  if (text?.type === "Literal" && typeof text.value === "string") return text.value;
  return text?.type === "TemplateLiteral" ? text.quasis[0].value.cooked : undefined;
}

const unwrapped = (node) =>
  node?.type === "TSAsExpression" || node?.type === "TSSatisfiesExpression" ? unwrapped(node.expression) : node;
