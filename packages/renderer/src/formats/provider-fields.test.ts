import type { JsonObject } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { renderSample } from "../testing/render-sample.ts";
import { threadOf } from "../testing/sample-thread.ts";
import { joinedSchema, openaiSchema } from "./provider-fields.ts";

const text = { type: "string" };
const joined = (schema: JsonObject) => joinedSchema(schema, null);

describe("a tool's schema with alternatives at its top", () => {
  const either: JsonObject = {
    $defs: {
      At: { type: "object", properties: { kind: { const: "at" }, time: text }, required: ["kind", "time"] },
      In: { type: "object", properties: { kind: { const: "in" }, minutes: text }, required: ["kind"] },
    },
    oneOf: [{ $ref: "#/$defs/At" }, { $ref: "#/$defs/In" }],
  };

  it("becomes one object with the properties of all, and requires what each of them requires", () => {
    expect(joined(either)).toEqual({
      $defs: either["$defs"],
      type: "object",
      properties: { kind: { anyOf: [{ const: "at" }, { const: "in" }] }, time: text, minutes: text },
      required: ["kind"],
    });
  });

  it("keeps its own properties as they are", () => {
    const properties = { a: { ...text, description: "one" }, b: text };
    const anyOf = [{ required: ["a"], properties: { a: {} } }, { required: ["b"] }];
    const given = {
      type: ["object", "null"],
      properties,
      required: ["c"],
      anyOf,
      enum: [{}],
      additionalProperties: false,
    };
    expect(joined(given)).toEqual({ type: "object", properties, required: ["c"], additionalProperties: false });
  });

  it("requires all that its parts require together", () => {
    const allOf = [{ properties: { a: text }, required: ["a"] }, { allOf: [{ required: ["b"] }] }];
    expect(joined({ allOf })).toEqual({ type: "object", properties: { a: text }, required: ["a", "b"] });
  });

  it("may refer to itself, to nothing and over and over", () => {
    const names = Array.from({ length: 40 }, (_, index) => `d${index}`);
    const all = names.map((name) => ({ $ref: `#/$defs/${name}` }));
    const $defs = Object.fromEntries(names.map((name) => [name, { properties: { [name]: text }, anyOf: all }]));
    const { properties } = joined({ $defs, anyOf: [...all, { $ref: "#" }, { $ref: "#/$defs/__proto__" }, 1] });
    expect(Object.keys(Object(properties)).sort()).toEqual(names.toSorted());
  });

  it("stays the very same object where it has none", () => {
    const plain = { type: "object", properties: { a: { anyOf: [text] } } };
    expect(joined(plain)).toBe(plain);
    expect(openaiSchema(plain)).toBe(plain);
  });

  it.each(["anthropic-messages", "openai-chat", "openai-responses"])("is accepted in %s", (format) => {
    const tools = [
      { name: "wait", inputSchema: either },
      { name: "list", inputSchema: { type: "object", properties: null, not: {} } },
    ];
    const sample = renderSample(threadOf(["user", "go"]), { format, tools });
    expect(sample.format.check(sample.payload, sample.manifest)).toEqual([]);
  });
});
