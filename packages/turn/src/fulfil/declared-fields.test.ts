import type { JsonValue, ToolResultContent } from "@threadfold/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boundedFields, declaredFields } from "./declared-fields.ts";

const ORDER = {
  order: { id: "ORD-1", lines: [{ sku: "A", "unit.price": 3 }, { sku: "B" }] },
  "order.note": "exact name",
  status: "paid",
};
const fieldsOf = (content: ToolResultContent, ...mustPreserveFields: readonly string[]) =>
  declaredFields({ content }, { mustPreserveFields });
const json = (value: JsonValue): ToolResultContent => ({ type: "json", value });
const asText = (text: string): ToolResultContent => ({ type: "text", text });

describe("declaredFields", () => {
  it.each([
    ["status", "paid"],
    ["order.id", "ORD-1"],
    ["order.lines.1.sku", "B"],
    ["order.lines.*.sku", ["A", "B"]],
    ["order.lines.0.unit.price", 3],
    ["order.note", "exact name"],
  ])("reads %s", (path, value) => {
    expect(fieldsOf(json(ORDER), path)).toEqual({ [path]: value });
  });

  it.each([
    "missing",
    "order.missing",
    "order.lines.7.sku",
    "order.lines.x",
    "status.length",
    "__proto__",
    "order.constructor",
  ])("has nothing for %s", (path) => {
    expect(fieldsOf(json(ORDER), path)).toEqual({});
  });

  it("reads JSON that stands as text, compact, pretty-printed, in a block and behind a line about it", () => {
    const pretty = JSON.stringify(ORDER, null, 2);
    const bodies: readonly ToolResultContent[] = [
      asText(JSON.stringify(ORDER)),
      asText(pretty),
      asText(`200 OK\n\n${pretty}\n`),
      {
        type: "blocks",
        blocks: [
          { type: "text", text: "the order" },
          { type: "text", text: pretty },
        ],
      },
    ];
    for (const body of bodies) expect(fieldsOf(body, "order.id")).toEqual({ "order.id": "ORD-1" });
    expect(fieldsOf(asText("order.id is ORD-1"), "order.id")).toEqual({});
    expect(fieldsOf(asText(`${pretty} } {`), "order.id")).toEqual({});
  });

  it("finds every field of any JSON by its exact name, whatever letters it has", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.boolean(), (value, compact) => {
        const text = compact ? JSON.stringify(value) : JSON.stringify(value, null, 2);
        const parsed = JSON.parse(text) as Record<string, JsonValue>;
        for (const name of Object.keys(parsed)) expect(fieldsOf(asText(text), name)).toEqual({ [name]: parsed[name] });
      }),
      { numRuns: 200 },
    );
  });

  it("has the key fields of the tool beside them", () => {
    const both = declaredFields(
      { keyFields: { customer: "C-7" }, content: json(ORDER) },
      { mustPreserveFields: ["status"] },
    );
    expect(both).toEqual({ customer: "C-7", status: "paid" });
  });
});

describe("boundedFields", () => {
  it("leaves values as they are, and of pages the beginning with a word about the rest", () => {
    const page = "x".repeat(9_000);
    const { id, page: cut } = boundedFields({ id: ["ORD-1", 2], page });
    expect(id).toEqual(["ORD-1", 2]);
    expect(String(cut)).toMatch(/^x{2000} \[… 9000 characters in all/);
  });
});
