import { describe, expect, it } from "vitest";
import { Pace, readRecords } from "./source-records.ts";
import { decodeSource } from "./source-text.ts";

const read = (text: string, maxLineLength = 1_000) =>
  readRecords(decodeSource(new TextEncoder().encode(text)), maxLineLength, new Pace(undefined, undefined));

describe("readRecords", () => {
  it("reads one record per line and skips blank lines, but counts them as line numbers", async () => {
    const { records, malformed } = await read('{"a":1}\n\n  \r\n{"a":2}\r\n[3]');
    expect(records.map(({ line, value }) => [line, value])).toEqual([
      [1, { a: 1 }],
      [4, { a: 2 }],
      [5, [3]],
    ]);
    expect(malformed).toEqual([]);
  });

  it("gives each record's position in the text", async () => {
    const { source, records } = await read('{"a":1}\n{"b":2}');
    expect(records.map(({ start, end }) => source.text.slice(start, end))).toEqual(['{"a":1}', '{"b":2}']);
  });

  it("reports lines that are not JSON with line number, problem and excerpt, and goes on", async () => {
    const { records, malformed } = await read('{"a":1}\n{"a":\n{"a":1}{"a":2}\n{"a":3}');
    expect(records.map(({ line }) => line)).toEqual([1, 4]);
    expect(malformed.map(({ line, excerpt }) => [line, excerpt])).toEqual([
      [2, '{"a":'],
      [3, '{"a":1}{"a":2}'],
    ]);
    expect(malformed.every(({ problem }) => problem.startsWith("not JSON: "))).toBe(true);
  });

  it("cuts excerpts to 120 characters without splitting a character", async () => {
    const { malformed } = await read(`{}\n${"x".repeat(119)}😀rest`);
    expect(malformed[0]?.excerpt).toHaveLength(120);
    expect(malformed[0]?.excerpt?.isWellFormed()).toBe(true);
  });

  it("reads a pretty-printed document as one record", async () => {
    const { records, malformed } = await read(`\n${JSON.stringify({ messages: [{ role: "user" }] }, undefined, 2)}\n`);
    expect(records.map(({ line, value }) => [line, value])).toEqual([[2, { messages: [{ role: "user" }] }]]);
    expect(malformed).toEqual([]);
  });

  it("ignores a byte order mark", async () => {
    expect((await read('\uFEFF{"a":1}')).records[0]?.value).toEqual({ a: 1 });
  });

  it("refuses a line above the limit", async () => {
    await expect(read(`{}\n"${"x".repeat(1_000)}"`)).rejects.toMatchObject({
      code: "SOURCE_TOO_LARGE",
      details: { line: 2 },
    });
  });
});
