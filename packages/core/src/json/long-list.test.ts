import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../laws/runs.ts";
import { canonicalJson } from "./canonical-json.ts";
import { freezeDeep } from "./json-value.ts";
import { continuedTexts, writtenTexts } from "./long-list.ts";

const lists = fc.array(fc.array(fc.string({ unit: "binary" }), { maxLength: 5 }), { minLength: 1, maxLength: 8 });

describe("a list of texts that grows at its end", () => {
  it("is written as it would be at once, whenever its beginnings were written", () => {
    fc.assert(
      fc.property(lists, fc.array(fc.boolean()), (parts, looks) => {
        let list: readonly string[] = [];
        for (const [index, part] of parts.entries()) {
          const before = [...list];
          const former = list;
          list = continuedTexts(list, part);
          expect(former).toEqual(before);
          expect(list).toEqual([...before, ...part]);
          if (looks[index] === true) expect(writtenTexts(list)).toBe(canonicalJson([...list]));
        }
        expect(Object.isFrozen(list)).toBe(true);
        expect(writtenTexts(list)).toBe(canonicalJson([...list]));
      }),
      runs(200),
    );
  });

  it("refuses to write what is no text or is not well-formed, behind a beginning that was written", () => {
    const former = continuedTexts(["a"], ["b"]);
    expect(writtenTexts(former)).toBe('["a","b"]');
    expect(writtenTexts(continuedTexts(former, ["\ud800"]))).toBeUndefined();
    expect(writtenTexts(Object.freeze(["a", 1]))).toBeUndefined();
  });

  it("is frozen, and nothing in it has to be", () => {
    const list = continuedTexts(["a"], ["b"]);
    writtenTexts(list);
    const value = freezeDeep({ list, others: [{ list: ["c"] }] });
    expect([value.list, value.others, value.others[0], value.others[0]?.list].every(Object.isFrozen)).toBe(true);
  });
});
