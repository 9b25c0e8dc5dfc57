import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { runs } from "../laws/runs.ts";
import { canonicalJson } from "./canonical-json.ts";
import { freezeDeep } from "./json-value.ts";
import { continuedTexts, isWrittenOnce, writtenTexts } from "./long-list.ts";

/** What is written of a list, whole. */
const textOf = (items: readonly unknown[]) => {
  const pieces = writtenTexts(items);
  return pieces && `${pieces.join("")}]`;
};

const lists = fc.array(fc.array(fc.string({ unit: "binary" }), { maxLength: 5 }), { minLength: 1, maxLength: 8 });

describe("an append-only list of texts", () => {
  it("is written like a plain array, whenever its prefixes were written", () => {
    fc.assert(
      fc.property(lists, fc.array(fc.boolean()), (parts, looks) => {
        let list: readonly string[] = [];
        for (const [index, part] of parts.entries()) {
          const before = [...list];
          const former = list;
          const other = continuedTexts(list, ["other", ...part]);
          list = continuedTexts(list, part);
          const another = continuedTexts(former, ["another"]);
          expect([other, another]).toEqual([
            [...before, "other", ...part],
            [...before, "another"],
          ]);
          expect(former).toEqual(before);
          expect(list).toEqual([...before, ...part]);
          if (looks[index] === true) expect(textOf(list)).toBe(canonicalJson([...list]));
        }
        expect(Object.isFrozen(list)).toBe(true);
        expect(textOf(list)).toBe(canonicalJson([...list]));
      }),
      runs(200),
    );
  });

  it("is not written if it holds a non-text or a malformed text", () => {
    const former = continuedTexts(["a"], ["b"]);
    expect(textOf(former)).toBe('["a","b"]');
    expect(writtenTexts(continuedTexts(former, ["\ud800"]))).toBeUndefined();
    expect(writtenTexts(Object.freeze(["a", 1]))).toBeUndefined();
  });

  it("is written once if it is frozen, and again if it may have changed", () => {
    const stringify = vi.spyOn(JSON, "stringify");
    try {
      const frozen = Object.freeze(["a", "b"]);
      expect([textOf(frozen), textOf(frozen)]).toEqual(['["a","b"]', '["a","b"]']);
      expect(stringify).toHaveBeenCalledTimes(1);
    } finally {
      stringify.mockRestore();
    }
    const open = ["a"];
    expect([textOf(open), isWrittenOnce(open)]).toEqual(['["a"]', false]);
    open.push("b");
    expect(textOf(open)).toBe('["a","b"]');
  });

  it("counts as written once only if its prefix was written", () => {
    const former = continuedTexts(["a"], ["b"]);
    expect([isWrittenOnce(former), isWrittenOnce(continuedTexts(former, ["c"]))]).toEqual([false, false]);
    writtenTexts(former);
    const list = continuedTexts(former, ["c"]);
    expect([isWrittenOnce(former), isWrittenOnce(list), textOf(list)]).toEqual([true, true, '["a","b","c"]']);
    expect(isWrittenOnce(continuedTexts(former, ["\ud800"]))).toBe(false);
  });

  it("stays in few pieces however often it grows, and reuses the long ones", () => {
    let list: readonly string[] = continuedTexts(["first"], ["second"]);
    writtenTexts(list);
    const long = Array.from({ length: 1_000 }, (_, index) => `message ${index}`);
    list = continuedTexts(list, long);
    const [beginning] = writtenTexts(list) ?? [];
    for (let step = 0; step < 200; step++) {
      list = continuedTexts(list, [`step ${step}`]);
      expect(writtenTexts(list)?.length).toBeLessThan(16);
      expect(writtenTexts(list)?.[0]).toBe(beginning);
    }
    expect(textOf(list)).toBe(JSON.stringify(list));
  });

  it("is frozen together with the value that holds it", () => {
    const list = continuedTexts(["a"], ["b"]);
    writtenTexts(list);
    const value = freezeDeep({ list, others: [{ list: ["c"] }] });
    expect([value.list, value.others, value.others[0], value.others[0]?.list].every(Object.isFrozen)).toBe(true);
  });
});
