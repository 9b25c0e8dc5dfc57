import { describe, expect, it } from "vitest";
import { wireValue } from "./live-value.ts";

describe("converting a live value to JSON", () => {
  it("returns the same object if it is JSON already", () => {
    const value = { a: [1, "two", { three: null }], b: true };
    expect(wireValue(value)).toBe(value);
  });

  it("turns values that JSON cannot express into text", () => {
    const when = new Date(Date.UTC(2026, 0, 2));
    const value = {
      when,
      url: new URL("https://example.com/x"),
      bytes: new Uint8Array([1, 2, 3]).buffer,
      gone: undefined,
    };
    expect(wireValue(value)).toEqual({ when: when.toISOString(), url: "https://example.com/x", bytes: "AQID" });
    expect(wireValue([undefined, () => 1])).toEqual([null, null]);
    expect(wireValue({ toJSON: () => ({ when }) })).toEqual({ when: when.toISOString() });
    expect(wireValue(new Date(Number.NaN))).toBe(null);
  });

  it("converts large byte arrays in one piece", () => {
    const bytes = new Uint8Array(100_000).map((_, index) => index % 251);
    expect(Buffer.from(wireValue(bytes) as string, "base64")).toEqual(Buffer.from(bytes));
  });

  it("refuses circular values, but accepts repeated references", () => {
    const value: Record<string, unknown> = {};
    value["left"] = value;
    value["right"] = [value, value];
    expect(() => wireValue(value)).toThrow(expect.objectContaining({ code: "INVALID_MESSAGE" }));
    const shared = { when: new Date(0) };
    expect(wireValue([shared, shared])).toEqual([
      { when: "1970-01-01T00:00:00.000Z" },
      { when: "1970-01-01T00:00:00.000Z" },
    ]);
  });

  it("leaves an extremely deeply nested value unconverted", () => {
    const deep = JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`) as unknown;
    expect(wireValue(deep)).toBe(deep);
  });

  it("keeps a field named __proto__", () => {
    const value = JSON.parse('{"__proto__": {"a": 1}}') as object;
    expect(Object.keys(wireValue({ ...value, value, gone: undefined }) as object)).toContain("value");
    expect(JSON.stringify(wireValue(value))).toBe('{"__proto__":{"a":1}}');
  });
});
