import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RULES, reportArrows } from "./check-arrows.mjs";

let root;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "threadfold-arrows-"));
  house({
    "packages/core/package.json": manifest("@threadfold/core", ["zod"]),
    "packages/core/src/errors/failure.ts": 'export const failure = "failed";',
    "packages/core/src/model/message.ts":
      'import { failure } from "../errors/failure.ts";\nexport const message = failure;',
    "packages/core/src/index.ts": 'export * from "./errors/failure.ts";\nexport * from "./model/message.ts";',
    "packages/stores/package.json": manifest("@threadfold/stores", ["@threadfold/core"]),
    "packages/stores/src/index.ts": 'export { message } from "@threadfold/core";',
    "packages/renderer/package.json": manifest("@threadfold/renderer", ["@threadfold/core"]),
    "packages/renderer/src/index.ts": 'export { message } from "@threadfold/core";',
  });
});

afterEach(() => rmSync(root, { recursive: true }));

describe("a house in order", () => {
  it("passes", () => expect(check()).toEqual({ code: 0, text: "Arrows: all imports are allowed." }));

  it("lets core's tests and laws read the clock and the disk", () => {
    const free = 'import { readFileSync } from "node:fs";\nexport const now = () => [Date.now(), readFileSync];';
    house({
      "packages/core/src/laws/law.ts": free.replace("node:fs", "zod"),
      "packages/core/src/model/message.test.ts": free,
      "packages/core/src/model/testing/sample.ts": free,
    });
    expect(check().code).toBe(0);
  });
});

describe("arrows between packages", () => {
  it("go down only", () => {
    house({
      "packages/stores/package.json": manifest("@threadfold/stores", ["@threadfold/core", "@threadfold/renderer"]),
      "packages/stores/src/index.ts":
        '\nimport type { message } from "@threadfold/renderer";\nexport type M = typeof message;',
    });
    const { code, text } = check();
    expect(code).toBe(1);
    expect(text).toContain(RULES.packages);
    expect(text).toContain("packages/stores/src/index.ts:2  stores imports renderer; it may import core");
    expect(text).toContain("packages/stores/package.json  stores imports renderer; it may import core");
  });

  it("use the package's name", () => {
    house({ "packages/stores/src/index.ts": 'export { message } from "../../core/src/model/message.ts";' });
    expectBroken("packages", "packages/stores/src/index.ts:1  ../../core/src/model/message.ts is outside the package");
  });

  it("are declared", () => {
    house({ "packages/stores/src/index.ts": 'export const load = () => import("zod");' });
    expectBroken("declared", "packages/stores/src/index.ts:1  zod is not in the dependencies of @threadfold/stores");
  });

  it("end at a file", () => {
    house({ "packages/stores/src/index.ts": 'export * from "./memory.ts";' });
    expectBroken("files", "packages/stores/src/index.ts:1  ./memory.ts does not name a source file");
  });

  it("are known for every package", () => {
    house({ "packages/attic/package.json": manifest("@threadfold/attic") });
    expectBroken("packages", "the package attic has no entry in scripts/arrows/rooms.mjs");
  });
});

describe("core's folders", () => {
  it("import only from those before them", () => {
    house({ "packages/core/src/errors/failure.ts": 'export type { message } from "../model/message.ts";' });
    const { text } = check();
    expect(text).toContain(RULES.order);
    expect(text).toContain("packages/core/src/errors/failure.ts:1  errors imports model, which comes after it");
  });

  it("are all in the order", () => {
    house({ "packages/core/src/misc/thing.ts": "export const thing = 1;" });
    expectBroken("order", "the folder misc is not in the order");
  });
});

describe("cycles and barrels", () => {
  it("names the files of a cycle, also of one that only types make", () => {
    house({
      "packages/stores/src/a.ts": 'import type { B } from "./b.ts";\nexport type A = B;',
      "packages/stores/src/b.ts": 'export type B = import("./c.ts").C;',
      "packages/stores/src/c.ts": 'import { type A } from "./a.ts";\nexport type C = A | null;',
    });
    const { code, text } = check();
    expect(code).toBe(1);
    expect(text).toContain(RULES.cycles);
    expect(text).toContain(
      "packages/stores/src/a.ts → packages/stores/src/b.ts → packages/stores/src/c.ts → packages/stores/src/a.ts",
    );
    expect(text.match(/→ packages\/stores\/src\/a\.ts/g)).toHaveLength(1);
  });

  it("refuses the barrel inside a package and lets a test use it", () => {
    house({
      "packages/stores/src/deep/thing.ts": 'import { message } from "../index.ts";\nexport const thing = message;',
      "packages/stores/src/deep/thing.test.ts": 'import { message } from "../index.ts";\nmessage;',
      "packages/stores/src/deep/self.ts": 'export { message } from "@threadfold/stores";',
    });
    const { text } = check();
    expect(text).toContain(RULES.barrels);
    expect(text).toContain("packages/stores/src/deep/thing.ts:1  imports the barrel ../index.ts");
    expect(text).toContain("packages/stores/src/deep/self.ts:1  a file of @threadfold/stores imports its own package");
    expect(text).not.toContain("thing.test.ts");
  });
});

describe("names of one module", () => {
  it("stand in one statement, for what comes in and for what goes out", () => {
    house({
      "packages/stores/src/parts.ts": "export const one = 1;\nexport const two = 2;",
      "packages/stores/src/both.ts":
        'import { one } from "./parts.ts";\nexport { two } from "./parts.ts";\nexport const own = one;',
      "packages/stores/src/in.ts":
        'import { one } from "./parts.ts";\nimport type { two } from "./parts.ts";\nexport type Both = [typeof one, typeof two];',
      "packages/stores/src/out.ts": 'export { one } from "./parts.ts";\nexport { two } from "./parts.ts";',
      "packages/stores/src/whole.ts":
        'import type * as parts from "./parts.ts";\nimport { one } from "./parts.ts";\nexport const all: typeof parts | 1 = one;',
    });
    const { text } = check();
    expect(text).toContain(RULES.once);
    expect(text).toContain("packages/stores/src/in.ts:2  lists names from ./parts.ts a second time");
    expect(text).toContain("packages/stores/src/out.ts:2  lists names from ./parts.ts a second time");
    expect(text).toContain("This is broken 2 times");
  });
});

describe("a pure core", () => {
  const impure = [
    ['import { readFileSync } from "node:fs";\nexport { readFileSync };', "imports node:fs"],
    ['import { isDeepStrictEqual } from "util";\nexport { isDeepStrictEqual };', "imports util"],
    ['export { chunk } from "lodash";', "imports lodash"],
    ["export const now = () => Date.now();", "uses Date.now (the clock)"],
    ['export const now = () => Date["now"]();', "uses Date.now (the clock)"],
    ["const { now } = Date;\nexport { now };", "uses Date (the clock)"],
    ["export const now = new Date();", "uses new Date() (the clock)"],
    ["export const now = performance.now();", "uses performance (the clock)"],
    ["export const dice = Math.random();", "uses Math.random (randomness)"],
    ["export const dice = [1].map(Math.random);", "uses Math.random (randomness)"],
    ["export const id = globalThis.crypto.randomUUID();", "uses globalThis (the host)"],
    ["export const home = process.env.HOME;", "uses process (the host)"],
    ["export const later = (run: () => void) => setTimeout(run, 1);", "uses setTimeout (a timer)"],
    ['export const load = () => fetch("x");', "uses fetch (the network)"],
    [
      "export const order = (a: string, b: string) => a.localeCompare(b);",
      "uses .localeCompare (the machine's locale)",
    ],
  ];
  it.each(impure)("refuses %j", (source, complaint) => {
    house({ "packages/core/src/json/value.ts": source });
    const { code, text } = check();
    expect(code).toBe(1);
    expect(text).toContain(RULES["core-pure"]);
    expect(text).toContain(complaint);
  });

  const pure = [
    "export const at = (time: number) => new Date(time).toISOString();",
    "export const most = Math.max(1, 2);",
    "export const run = (process: { fetch(): number }) => process.fetch();",
    "export const names = { process: 1, performance: 2 }.process;",
    "export type Host = { process: typeof process; when: Date };",
    "export const isDate = (value: unknown) => value instanceof Date;",
    "const fetch = 1;\nexport const kept = fetch;",
    "export const text = 'Date.now() and Math.random()'; // process.env",
  ];
  it.each(pure)("accepts %j", (source) => {
    house({ "packages/core/src/json/value.ts": source });
    expect(check()).toEqual({ code: 0, text: "Arrows: all imports are allowed." });
  });

  it("depends on three packages alone", () => {
    house({ "packages/core/package.json": manifest("@threadfold/core", ["zod", "lodash"]) });
    expectBroken("core-pure", "packages/core/package.json  depends on lodash");
  });

  it("knows one exception, and only where it is needed", () => {
    house({ "packages/core/src/json/sha256.ts": "export const host = globalThis as object;" });
    expect(check().code).toBe(0);
    house({ "packages/core/src/json/sha256.ts": "export const host = globalThis as object, home = process;" });
    expectBroken("core-pure", "packages/core/src/json/sha256.ts:1  uses process (the host)");
    house({ "packages/core/src/json/sha256.ts": "export const host = {};" });
    expectBroken("core-pure", "no longer uses globalThis");
  });
});

function house(files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

function manifest(name, dependencies = []) {
  return JSON.stringify({
    name,
    dependencies: Object.fromEntries(dependencies.map((dependency) => [dependency, "1.0.0"])),
  });
}

function check() {
  const lines = [];
  const code = reportArrows(root, (line) => lines.push(line));
  return { code, text: lines.join("\n") };
}

function expectBroken(rule, complaint) {
  const { code, text } = check();
  expect(code).toBe(1);
  expect(text).toContain(RULES[rule]);
  expect(text).toContain(complaint);
}
