import MagicString from "magic-string";
import { parseSync, type VariableDeclaration, type VariableDeclarator } from "oxc-parser";
import { ScopeTracker, walk } from "oxc-walker";

/**
 * A plugin of the bundler that has regular expressions made when they are first used. Node reads each literal when it
 * loads a file, and again when it runs it, and a class such as `\p{L}` takes it some 30 microseconds each time: they
 * were a tenth of what importing Threadfold takes.
 *
 * Changes the constants of a file that are such literals, or calls of `new RegExp`, and are not exported. Each becomes a
 * function of the same name.
 */
export function latePatterns() {
  return {
    name: "late-patterns",
    renderChunk(code: string, { fileName }: { readonly fileName: string }) {
      if (!/\.c?js$/.test(fileName)) return null;
      const text = withLatePatterns(code);
      return { code: text.toString(), map: text.generateMap({ hires: "boundary" }) };
    },
  };
}

/** Returns a program that makes its patterns when it first uses them. */
export function withLatePatterns(code: string): MagicString {
  const { program } = parseSync("chunk.js", code);
  const text = new MagicString(code);
  const exported = new Set(
    program.body.flatMap((statement) =>
      statement.type === "ExportNamedDeclaration" ? statement.specifiers.map(({ local }) => nameOf(local)) : [],
    ),
  );
  const patterns = new Map<string, Pattern>();
  for (const statement of program.body) {
    const pattern = patternOf(statement);
    if (pattern !== null && !exported.has(pattern.name)) patterns.set(pattern.name, pattern);
  }
  callWhereUsed(program, patterns, text);
  for (const pattern of patterns.values()) makeLate(pattern, text);
  return text;
}

interface Pattern {
  readonly name: string;
  readonly statement: VariableDeclaration;
  readonly made: NonNullable<VariableDeclarator["init"]>;
}

type Program = ReturnType<typeof parseSync>["program"];

const nameOf = (name: { readonly type: string }): string =>
  "name" in name ? String(name.name) : "value" in name ? String(name.value) : "";

/** Returns the pattern that a statement declares; null for any other statement, and for patterns that cost nothing. */
function patternOf(statement: Program["body"][number]): Pattern | null {
  if (statement.type !== "VariableDeclaration" || statement.kind !== "const") return null;
  const [declared, ...others] = statement.declarations;
  const made = declared?.init;
  if (declared === undefined || others.length > 0 || declared.id.type !== "Identifier" || !made) return null;
  const isLiteral = made.type === "Literal" && "regex" in made && /\\p\{/i.test(made.regex.pattern);
  const isCall = made.type === "NewExpression" && made.callee.type === "Identifier" && made.callee.name === "RegExp";
  return isLiteral || isCall ? { name: declared.id.name, statement, made } : null;
}

/** Calls each pattern where its name is read. */
function callWhereUsed(program: Program, patterns: ReadonlyMap<string, Pattern>, text: MagicString): void {
  const scopeTracker = new ScopeTracker({ preserveExitedScopes: true });
  walk(program, { scopeTracker });
  scopeTracker.freeze();
  walk(program, {
    scopeTracker,
    enter(node, parent) {
      if (node.type !== "Identifier" || !patterns.has(node.name) || parent === null) return;
      // A name of something else in an inner scope.
      if (scopeTracker.getDeclaration(node.name)?.scope !== OUTERMOST) return;
      const isLabel =
        (parent.type === "MemberExpression" && parent.property === node && !parent.computed) ||
        (parent.type === "Property" && parent.key === node && !parent.computed) ||
        (parent.type === "VariableDeclarator" && parent.id === node);
      if (isLabel) return;
      const isShort = parent.type === "Property" && parent.shorthand;
      text.appendLeft(node.end, isShort ? `: ${node.name}()` : "()");
    },
  });
}

/** What the tracker calls the scope of the whole file. */
const OUTERMOST = "";

function makeLate({ name, statement, made }: Pattern, text: MagicString): void {
  text.update(statement.start, made.start, `let ${name}$made;\nfunction ${name}() {\n\treturn ${name}$made ??= `);
  if (made.type === "Literal" && "regex" in made)
    text.update(made.start, made.end, `new RegExp(${JSON.stringify(made.regex.pattern)}, "${made.regex.flags}")`);
  text.update(made.end, statement.end, ";\n}");
}
