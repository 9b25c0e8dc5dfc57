import type { JsonValue } from "@threadfold/core";
import { jsonValues, runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { outputFields, spelledFields } from "./result-body.ts";

const read = (value: JsonValue, isCommand = true) => outputFields(value, isCommand);

describe("what a command printed, in fields", () => {
  it.each<[string, JsonValue, object]>([
    ["streams", { stdout: "a", stderr: "b", returncode: 2 }, { text: "a\nb", exitCode: 2 }],
    ["Claude Code", { stdout: "a", stderr: "", interrupted: false, isImage: false }, { text: "a", exitCode: null }],
    ["camel case", { output: "a", exitCode: 0, success: true }, { text: "a", exitCode: 0, failed: false }],
    ["Codex", { output: "a", metadata: { exit_code: 1, duration_seconds: 0.1 } }, { text: "a", exitCode: 1 }],
    ["inside another", { result: { stdout: "a", exit_code: 3 } }, { text: "a", exitCode: 3 }],
    ["blocks", [{ type: "text", text: "a" }], { text: "a", exitCode: null, failed: null }],
    ["a verdict", { status: "error", message: "a" }, { text: "a", exitCode: null, failed: true }],
    ["a good verdict", { status: "ok", message: "" }, { text: "", failed: false }],
    ["an error", { error: "a" }, { text: "a", failed: true }],
    ["an error beside an output", { output: "a", error: "b" }, { text: "a\nb", failed: null }],
    ["a command that goes on", { status: "running", output: "a" }, { text: "a", isRunning: true }],
    ["complaints that were printed, too", { output: "a\nb", stderr: "b" }, { text: "a\nb" }],
  ])("of %s", (_of, value, expected) => {
    expect(read(value)).toMatchObject(expected);
  });

  it.each<[string, JsonValue]>([
    ["a package", { name: "a", version: "1.0.0", description: "b" }],
    ["an answer with more than an output", { output: "a", usage: { tokens: 3 } }],
    ["a message of a service", { message: "Not Found", documentation_url: "u" }],
    ["a message alone", { message: "a" }],
    ["a result with something beside it", { content: [], result: [{ type: "text", text: "a" }] }],
    ["numbers", [1, 2]],
    ["a list of other things", [{ type: "text", text: "a" }, { id: 1 }]],
  ])("is not what %s says", (_of, value) => {
    expect(read(value)).toBeNull();
  });

  it("is of a call that may run no command only an output with its metadata", () => {
    expect(read({ output: "a" }, false)).toMatchObject({ text: "a" });
    expect(read({ output: "a", success: true }, false)).toBeNull();
    expect(read({ error: "a" }, false)).toBeNull();
  });

  it("is the same however often it is wrapped, and whatever is said beside it", () => {
    const wrapper = fc.constantFrom("result", "data", "response", "structuredContent");
    fc.assert(
      fc.property(
        fc.string(),
        fc.integer(),
        fc.array(wrapper, { maxLength: 3 }),
        jsonValues,
        (text, code, around, id) => {
          const value = around.reduce<JsonValue>((inner, name) => ({ [name]: inner, id }), {
            stdout: text,
            exit_code: code,
          });
          expect(read(value)).toMatchObject({ text, exitCode: code });
        },
      ),
      runs(100),
    );
  });

  it("is found in any value without an error, and read from JSON that a text spells out", () => {
    fc.assert(
      fc.property(jsonValues, fc.boolean(), (value, isCommand) => {
        const found = outputFields(value, isCommand);
        expect(spelledFields(JSON.stringify({ value }))).toEqual(JSON.parse(JSON.stringify({ value })));
        if (found !== null) expect(typeof found.text).toBe("string");
      }),
      runs(100),
    );
    for (const text of ['{"output": "a"', "{ output }", "[1]", "a"]) expect(spelledFields(text)).toBeNull();
  });
});
