import { finishSteps, type Message, type Steps } from "@threadfold/core";
import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  bestIdentifiers,
  IdentifierIndex,
  IN_ARGUMENT,
  IN_RESULT,
  identifierOdds,
  readRun,
  runsOf,
} from "./identifiers.ts";

describe("the runs of a text", () => {
  it("are not the ends of tags, which harnesses and pages put around everything", () =>
    expect(runsOf("<tool_error>src/a.ts failed</tool_error></b> </MyPage> a</b_c.ts")).toEqual([
      "tool_error",
      "src/a.ts",
    ]));
});

describe("reading a run", () => {
  it.each([
    ["vllm/core/x.py", ["path vllm/core/x.py"]],
    ["/usr/local/bin", ["path /usr/local/bin"]],
    ["../src/utils.js", ["path ../src/utils.js"]],
    ["~/.pi/agent", ["path ~/.pi/agent"]],
    ["@scope/package_a", ["path @scope/package_a"]],
    ["./src/a.ts", ["path src/a.ts"]],
    ["//github.com/a/b.git", ["path github.com/a/b.git"]],
    ["manual_commit.go.", ["path manual_commit.go"]],
    ["self.block_manager.get_table", ["chain self.block_manager.get_table", "name block_manager", "name get_table"]],
    ["entry.message.role", ["chain entry.message.role"]],
    ["setup.py", ["path setup.py"]],
    ["src/plan.ts-108", ["path src/plan.ts"]],
    ["src/plan.ts-108-export", ["path src/plan.ts"]],
    ["plan_test.go-1248-", ["path plan_test.go"]],
    ["dist/app-1.2-3", ["path dist/app-1.2-3"]],
    ["1.25.3", []],
    ["readFile", ["name readFile"]],
    ["HTTPServer", ["name HTTPServer"]],
    ["20250514", ["number 20250514"]],
    ["6ef2299e", ["name 6ef2299e"]],
    ["9b1c-4d2e-8f00-aa", ["name 9b1c-4d2e-8f00-aa"]],
    ["12-line", []],
    ["1331ms", []],
    ["120000ms", []],
    ["182639kB", []],
    ["100000ms_total", ["name 100000ms_total"]],
    ["However", []],
    ["read-only", []],
    ["1/2/3/4/5", []],
    ["origin/HEAD", ["weak-path origin/HEAD"]],
    ["a".repeat(220), []],
  ])("finds in %s: %j", (run, expected) => {
    expect(readRun(run).map(({ kind, text }) => `${kind} ${text}`)).toEqual(expected);
  });
});

describe("the index of identifiers", () => {
  it("counts once per message and source, and keeps the first and last place", () => {
    const index = new IdentifierIndex();
    index.scan("fooBar fooBar", IN_RESULT, 3);
    index.scan("fooBar", IN_RESULT, 3);
    index.scan("x fooBar", IN_ARGUMENT, 5);
    index.scan("fooBar", IN_RESULT, 9);
    expect(index.entries).toEqual([
      { text: "fooBar", kind: "name", firstPosition: 3, lastPosition: 9, seen: [1, 0, 0, 2] },
    ]);
  });

  it("takes two words with a slash for a path only when the agent used it so", () => {
    const index = new IdentifierIndex();
    index.scan("compare input/output with origin/HEAD", IN_RESULT, 0);
    index.scan("git diff origin/HEAD", IN_ARGUMENT, 1);
    expect(index.entries.map(({ text }) => text)).toEqual(["origin/HEAD"]);
  });

  it("takes a chain of names only when the agent used it, and then whole", () => {
    const index = new IdentifierIndex();
    index.scan("process.exit and entry.message.role; done.Next", IN_RESULT, 0);
    index.scan("if (entry.message.role) return", IN_ARGUMENT, 1);
    expect(index.entries.map(({ text }) => text)).toEqual(["entry.message.role"]);
  });

  it("finds what stands in Chinese text, between accents and after escaped line breaks", () => {
    const index = new IdentifierIndex();
    index.scan('请修改src/app/main_window.py文件。 docs/überblick.md {"out":"\\nREADME.md\\tfoo_bar"}', IN_RESULT, 0);
    expect(index.entries.map(({ text }) => text)).toEqual([
      "src/app/main_window.py",
      "docs/überblick.md",
      "README.md",
      "foo_bar",
    ]);
  });
});

/** What a run is, in one expression that is slower. */
const RUN = /(?<![\w.\-/@~+À-ԯ])(?=[a-z.\-@~+À-ԯ]*(?:[A-Z0-9_/]|[a-z]\.[a-z]))[\w.\-/@~+À-ԯ]{6,220}/g;

describe("runsOf", () => {
  it("law: a run is long enough and has a capital, a digit, an underscore, a slash, or a dot between letters", () => {
    const sign = fc.constantFrom(..."abcXYZ09_./-@~+ éЖԯ字\n,", "folder/", "word", "a.b", "x".repeat(120));
    fc.assert(
      fc.property(fc.string({ unit: sign, maxLength: 60 }), (text) => {
        expect(runsOf(text)).toEqual(text.match(RUN) ?? []);
      }),
      runs(800),
    );
  });
});

describe("the identifiers most likely needed again", () => {
  const messages = Array.from({ length: 40 }, (_, step) => ({ step }) as unknown as Message);
  const uses = fc.array(fc.tuple(fc.nat(60), fc.nat(39), fc.constantFrom(IN_ARGUMENT, IN_RESULT)), { maxLength: 200 });

  it("are the first of all by their odds for their length, in order", () => {
    fc.assert(
      fc.property(uses, fc.integer({ min: 1, max: 20 }), (named, most) => {
        const index = new IdentifierIndex();
        for (const [name, position, source] of named.toSorted((a, b) => a[1] - b[1]))
          index.scan(`fooBar${"x".repeat(name % 7)}${name}`, source, position);
        const all = index.entries.map((entry) => ({ entry, odds: identifierOdds(entry, messages, 3) }));
        const worth = ({ entry, odds }: (typeof all)[number]) => odds / Math.sqrt(entry.text.length + 3);
        const sorted = all.sort((a, b) => worth(b) - worth(a) || (a.entry.text < b.entry.text ? -1 : 1));
        const best = finishSteps(bestIdentifiers(index, messages, 3, most));
        expect(best.map(({ entry, odds }) => ({ entry, odds }))).toEqual(sorted.slice(0, most));
      }),
      runs(200),
    );
  });

  it("are found in steps of a few hundred, of however many", () => {
    const index = new IdentifierIndex();
    for (let name = 0; name < 20_000; name++) index.scan(`fooBar${name}`, IN_ARGUMENT, 0);
    let read = 0;
    const first = { ...messages[0] } as Message;
    const watched = [Object.defineProperty(first, "step", { get: () => ++read && 0 })];
    const counts = countsBetween(bestIdentifiers(index, watched, 0, 1_000), () => read);
    expect(read).toBeGreaterThanOrEqual(20_000);
    expect(Math.max(...counts)).toBeLessThan(3_000);
  });
});

/** How far something went on in each step. */
function countsBetween(steps: Steps<unknown>, count: () => number): readonly number[] {
  const counts: number[] = [];
  let before = count();
  for (const _ of steps) {
    counts.push(count() - before);
    before = count();
  }
  return counts;
}
