import type { JsonValue, ToolResultContent } from "@threadfold/core";
import { asToolCallId, compactionConfig, type ToolResultEnvelope } from "@threadfold/core";
import { toolPolicy } from "@threadfold/strategies";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boundedFields, declaredFields, resultKeyFields } from "./declared-fields.ts";

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

const config = compactionConfig({
  toolDurabilityOverrides: { create_order: { durability: "anchoring", mustPreserveFields: ["order_id", "total"] } },
});
const placeholderFields = (result: Partial<ToolResultEnvelope>) => {
  const envelope: ToolResultEnvelope = {
    toolName: "bash",
    callId: asToolCallId("c"),
    outcome: "success",
    content: { type: "text", text: "" },
    ...result,
  };
  return resultKeyFields(envelope, toolPolicy(config, envelope.toolName));
};

describe("resultKeyFields", () => {
  it("keeps what the tool declared and what the policy names, and nothing else", () => {
    const value = { order_id: "A-17", total: 12, lines: ["long"], __proto__x: 1 };
    expect(
      placeholderFields({ toolName: "create_order", content: { type: "json", value }, keyFields: { status: "paid" } }),
    ).toEqual({
      status: "paid",
      order_id: "A-17",
      total: 12,
    });
  });

  it("finds exit code and error line of a command that failed", () => {
    const text = "> vitest run\nrunning\nError: expected 2 to be 3\nmore\nCommand exited with code 1";
    expect(placeholderFields({ outcome: "failure", content: { type: "text", text } })).toEqual({
      exitCode: 1,
      error: "Error: expected 2 to be 3",
    });
  });

  it("takes no word of a file that was read for an error, and no bracket for its beginning", () => {
    const text = "{\n  // throws an error when the lock is not found\n  retry: 3\n}";
    expect(placeholderFields({ content: { type: "text", text } })).toEqual({
      begins: "// throws an error when the lock is not found",
    });
  });

  it("shows how a plain text begins, and nothing of an ephemeral one", () => {
    expect(placeholderFields({ content: { type: "text", text: "\n\n  src/index.ts\nsrc/main.ts" } })).toEqual({
      begins: "src/index.ts",
    });
    expect(placeholderFields({ toolName: "ls", content: { type: "text", text: "src" } })).toEqual({});
  });

  it("stays small on a huge body", () => {
    const text = `${"x".repeat(1_000_000)}\nexit code: 7`;
    expect(JSON.stringify(placeholderFields({ content: { type: "text", text } })).length).toBeLessThan(300);
    expect(placeholderFields({ content: { type: "text", text } })).toMatchObject({ exitCode: 7 });
  });
});
