import { describe, expect, it } from "vitest";
import { withTextReplaced } from "./text-arbitrary.ts";

describe("withTextReplaced", () => {
  const value = { a: "1", b: [2, "3", { c: "4", __proto__x: null }] };

  it("replaces one text of a copy, selected by index", () => {
    const copies = [0, 1, 2, 3].map((pick) => JSON.stringify(withTextReplaced(value, pick, "x")));
    expect(copies).toEqual([
      '{"a":"x","b":[2,"3",{"c":"4","__proto__x":null}]}',
      '{"a":"1","b":[2,"x",{"c":"4","__proto__x":null}]}',
      '{"a":"1","b":[2,"3",{"c":"x","__proto__x":null}]}',
      '{"a":"x","b":[2,"3",{"c":"4","__proto__x":null}]}',
    ]);
    expect(value.a).toBe("1");
  });

  it("returns data without text unchanged", () => {
    expect(withTextReplaced([1, null], 5, "x")).toEqual([1, null]);
  });
});
