import { readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../workspaces.mjs";
import { escapedText } from "./ascii-only.ts";
import { withLatePatterns } from "./late-patterns.ts";

const late = (code) => withLatePatterns(code).toString();

/** Runs a program as a function, and returns what it returns. */
const run = (code) => new Function(code)();

describe("patterns that are made when they are first used", () => {
  it("reads nothing of a pattern before its use", () => {
    const code = late('const A = /[\\p{L}"]/gu;\nreturn () => "a\\"1".replace(A, "");');
    expect(code).toContain('new RegExp("[\\\\p{L}\\"]", "gu")');
    expect(code).not.toContain("/[");
    expect(run(code)()).toBe("1");
  });

  it("makes a pattern once", () => {
    const code = late('const A = /\\p{L}/gu;\nA.test("ab");\nreturn [A.lastIndex, A === A, A.source, A.flags];');
    expect(run(code)).toEqual([1, true, "\\p{L}", "gu"]);
  });

  it("makes what is put together from others when they can be", () => {
    const code = late(
      'const A = /\\p{L}/u;\nconst B = new RegExp([A, /\\d/].map(({ source }) => source).join("|"), "gu");\nreturn "a1-".match(B);',
    );
    expect(run(code)).toEqual(["a", "1"]);
  });

  it("leaves other things of the same name alone", () => {
    const code = late(
      [
        "const A = /\\p{L}/u;",
        "const inner = (A) => A;",
        "function shadow() { const A = 2; return { A, B: A, A2: { A: 3 }.A }; }",
        "const { A: taken } = { A: 4 };",
        "return [inner(1), shadow(), taken, { A }.A.source, { A: A }.A.source, A.source + ``];",
      ].join("\n"),
    );
    expect(run(code)).toEqual([1, { A: 2, B: 2, A2: 3 }, 4, "\\p{L}", "\\p{L}", "\\p{L}"]);
  });

  it.each([
    ["a cheap literal", "const A = /[a-z]+/u;\nA.test('a');"],
    ["a pattern that others import", "const A = /\\p{L}/u;\nexport { A };"],
    ["a pattern within a function", "const f = () => { const A = /\\p{L}/u; return A; };"],
    ["a variable", "let A = /\\p{L}/u;\nA = 1;"],
  ])("leaves %s alone", (_, code) => {
    expect(late(code)).toBe(code);
  });
});

describe("files of ASCII alone", () => {
  it("mean the same", () => {
    const code = 'const s = "ä … 😀"; const r = /[“”😀]/u; return [s, `é`, r.test("😀"), r.test("\\ud83d"), { ü: 1 }];';
    const escaped = escapedText(code).toString();
    expect(escaped).toMatch(/^[\0-\x7f]*$/);
    expect(run(escaped)).toEqual(run(code));
  });

  it("are not made of what an escape would change", () => {
    expect(() => escapedText("const s = String.raw`ä`;")).toThrow("String.raw`ä`");
  });
});

describe("the built packages", () => {
  it("have only ASCII characters", async () => {
    const files = await Array.fromAsync(glob("packages/{core,session,stores,summarizers}/dist/*.js", { cwd: root }));
    expect(files.length).toBeGreaterThan(10);
    for (const file of files) expect(readFileSync(join(root, file), "utf8"), file).toMatch(/^[\0-\x7f]*$/);
  });
});
