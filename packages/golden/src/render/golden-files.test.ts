import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reviewJson } from "./golden-files.ts";

describe("reviewed JSON", () => {
  it("says what plain JSON says, keys in their order", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(JSON.stringify(JSON.parse(reviewJson(value)))).toBe(JSON.stringify(value));
      }),
      runs(300),
    );
  });

  it("breaks what is long and fills lines with short values", () => {
    const ids = Array.from({ length: 40 }, (_, index) => `message-${index}`);
    const lines = reviewJson({ span: { first: 1, last: 2 }, ids }).split("\n");
    expect(lines[1]).toBe('  "span": { "first": 1, "last": 2 },');
    expect(lines[3]).toMatch(/^ {4}"message-0", "message-1",/);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(120);
    expect(lines.length).toBeLessThan(14);
  });
});
