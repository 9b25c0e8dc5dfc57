import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../json/canonical-json.ts";
import { structuredSummaries } from "../laws/plan-record-arbitrary.ts";
import { withTextReplaced } from "../laws/text-arbitrary.ts";
import { asMessageId } from "../model/ids.ts";
import { isSameFile, strongestAction } from "./file-item.ts";
import { emptySummary, SUMMARY_SECTIONS, structuredSummarySchema } from "./structured-summary.ts";

const span = { messageIds: [asMessageId("m1"), asMessageId("m2")], firstTurn: 1, lastTurn: 3 };

describe("structuredSummarySchema", () => {
  it("gives a summary back from its canonical JSON, byte for byte", () => {
    fc.assert(
      fc.property(structuredSummaries(span), (summary) => {
        const text = canonicalJson(summary);
        const read = structuredSummarySchema.parse(JSON.parse(text));
        expect(canonicalJson(read)).toBe(text);
        expect(structuredSummarySchema.parse(summary)).toEqual(summary);
      }),
      { numRuns: 200 },
    );
  });

  it("accepts nothing that cannot be hashed", () => {
    fc.assert(
      fc.property(structuredSummaries(span), fc.nat(), (summary, leaf) => {
        expect(structuredSummarySchema.safeParse(withTextReplaced(summary, leaf, "a\ud800")).success).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it.each<[string, object]>([
    ["another schema version", { schemaVersion: 2 }],
    ["a round of 0", { round: 0 }],
    ["an empty span", { span: { ...span, messageIds: [] } }],
    ["a missing section", { facts: undefined }],
    ["an item without an id", { facts: [{ id: "", sources: [], text: "x" }] }],
    [
      "an open item of no status",
      { openItems: [{ id: "1", sources: [], description: "", context: "", priority: "low", status: "later" }] },
    ],
  ])("refuses %s", (_, fields) => {
    expect(structuredSummarySchema.safeParse({ ...emptySummary(span), ...fields }).success).toBe(false);
  });

  it("knows nine sections in rendering order", () => {
    expect(SUMMARY_SECTIONS).toEqual([
      "constraints",
      "facts",
      "decisions",
      "openItems",
      "files",
      "toolOutcomes",
      "errors",
      "artifacts",
      "identifiers",
    ]);
    expect(structuredSummarySchema.safeParse(emptySummary(span)).success).toBe(true);
  });
});

describe("two spellings of a path", () => {
  it.each([
    ["src/a.ts", "./src/a.ts"],
    ["/home/me/app/src/a.ts", "src/a.ts"],
    ["src/a.ts", "/home/me/app/src/a.ts"],
  ])("%s and %s are one file", (one, other) => expect(isSameFile(one, other)).toBe(true));

  it.each([
    ["a.ts", "/home/me/app/src/a.ts"],
    ["src/a.ts", "/home/me/app/other-src/a.ts"],
    ["/src/a.ts", "/home/me/app/src/a.ts"],
  ])("%s and %s need not be", (one, other) => expect(isSameFile(one, other)).toBe(false));
});

describe("what is true of a file after two actions", () => {
  it.each([
    ["created", "modified", "created"],
    ["modified", "read", "modified"],
    ["modified", "deleted", "deleted"],
    ["deleted", "created", "modified"],
    ["read", "modified", "modified"],
  ] as const)("after it was %s and %s it is %s", (earlier, later, both) =>
    expect(strongestAction(earlier, later)).toBe(both),
  );
});
