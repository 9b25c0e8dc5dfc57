import {
  asToolCallId,
  compactionConfig,
  type JsonValue,
  type ToolResultContent,
  type ToolResultEnvelope,
} from "@threadfold/core";
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
  ])("finds nothing for %s", (path) => {
    expect(fieldsOf(json(ORDER), path)).toEqual({});
  });

  it("reads JSON in text: compact, pretty-printed, in a block and after a status line", () => {
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

  it.each<[string, ToolResultContent, object]>([
    ["a list from its first bracket to its last", asText('[{"id": 1}] (1 row)'), { "0.id": 1 }],
    ["nothing of text that only ends like JSON", asText('} "id": 1 ]'), {}],
    ["no JSON that follows words on the same line", asText('the order: {"0": {"id": 1}}'), {}],
    ["nothing of text of more than four million characters", asText(`[{"id":1,"x":"${"x".repeat(4_000_000)}"}]`), {}],
    [
      "the first block that is JSON",
      {
        type: "blocks",
        blocks: [
          { type: "text", text: "{" },
          { type: "text", text: '[{"id":1}]' },
        ],
      },
      { "0.id": 1 },
    ],
    ["nothing of blocks without JSON", { type: "blocks", blocks: [{ type: "text", text: "id" }] }, {}],
    ["no list entry by an index that is not a whole number", json([{ id: 1 }]), { "0.id": 1 }],
  ])("reads %s", (_what, content, fields) => {
    expect(fieldsOf(content, "0.id", "0x0.id", "-1.id", ".id")).toEqual(fields);
  });

  it("reads a field only from the list entries that have it", () => {
    expect(fieldsOf(json([{ a: 1 }, 7]), "*.id", "*")).toEqual({ "*": [{ a: 1 }, 7] });
    expect(fieldsOf(json([{ id: 1 }, 7, { id: null }]), "*.id")).toEqual({ "*.id": [1, null] });
  });

  it("includes the tool's own key fields", () => {
    const both = declaredFields(
      { keyFields: { customer: "C-7" }, content: json(ORDER) },
      { mustPreserveFields: ["status"] },
    );
    expect(both).toEqual({ customer: "C-7", status: "paid" });
  });
});

describe("boundedFields", () => {
  it.each<[JsonValue]>([["x".repeat(2_000)], [null], [0], [false], [{ a: ["b".repeat(1_900)] }], [""]])(
    "leaves a short value as it is: %j",
    (value) => {
      expect(boundedFields({ value })).toEqual({ value });
    },
  );

  it("cuts a long list in its JSON text and states the length of all of it", () => {
    const list = Array.from({ length: 900 }, (_, at) => at);
    const { list: cut } = boundedFields({ list });
    expect(String(cut).slice(0, 2_000)).toBe(JSON.stringify(list).slice(0, 2_000));
    expect(String(cut)).toContain(`${JSON.stringify(list).length} characters in all`);
  });

  it("keeps short values as they are, and cuts a long text with a note of its length", () => {
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
  it("keeps the fields that the tool declares and the policy names, and nothing else", () => {
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

  it("takes no word in a file as an error, and no bracket as its beginning", () => {
    const text = "{\n  // throws an error when the lock is not found\n  retry: 3\n}";
    expect(placeholderFields({ content: { type: "text", text } })).toEqual({
      begins: "// throws an error when the lock is not found",
    });
  });

  it("shows the first line of plain text, and nothing of an ephemeral result", () => {
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

  it.each<[string, string | undefined, Partial<ToolResultEnvelope>, object]>([
    ["an exit code in any of its spellings", "ok then\nexit status: 0", {}, { exitCode: 0, begins: "ok then" }],
    ["a return code", "returncode=137\nKilled by the kernel", {}, { exitCode: 137, begins: "returncode=137" }],
    ["the first of two exit codes", "fine\nexit code 0\nexited with 2", {}, { exitCode: 0, begins: "fine" }],
    ["no number of four digits", "exit code 1234", {}, { begins: "exit code 1234" }],
    [
      "the error line of a command that exited with another code",
      "start\nfatal: none\nexit code 128",
      {},
      { exitCode: 128, error: "fatal: none" },
    ],
    [
      "no error line where the exit code is 0",
      "all: 0 failed\nexit code 0",
      {},
      { exitCode: 0, begins: "all: 0 failed" },
    ],
    [
      "the beginning of a failure without a telling line",
      "nothing to see",
      { outcome: "failure" },
      { begins: "nothing to see" },
    ],
    ["nothing of a text without words", "--\n  {}\n12", {}, {}],
    ["nothing of a result declared ephemeral", "a whole line", { durability: "ephemeral" }, {}],
    [
      "the declared key fields of an ephemeral result",
      "a whole line",
      { durability: "ephemeral", keyFields: { id: 7 } },
      { id: 7 },
    ],
    ["a line cut to what fits", "word".repeat(50), {}, { begins: "word".repeat(40) }],
    ["a line from the end of a long text", `${"-".repeat(2_500)}\nDone at last`, {}, { begins: "Done at last" }],
  ])("shows %s", (_what, text, fields, shown) => {
    expect(placeholderFields({ content: { type: "text", text: text ?? "" }, ...fields })).toEqual(shown);
  });
});
