import { execFileSync } from "node:child_process";
import { asToolCallId, type Part } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { heuristicTokenizer, loadTokenizer, TOKENIZER_IDS } from "./load-tokenizer.ts";
import { loadProviderTokenizer } from "./provider-tokenizer.ts";
import { TiktokenTokenizer } from "./tiktoken-tokenizer.ts";

const tokenizer = heuristicTokenizer();
const base64 = "A".repeat(400_000);

describe("the heuristic counter", () => {
  it.each([
    ["", 0],
    ["a", 1],
    ["abcd", 1],
    ["abcde", 2],
  ])("counts %j as %i tokens: four characters each, rounded up (seed 003)", (text, tokens) => {
    expect(tokenizer.countTokens(text)).toBe(tokens);
  });

  it("adds four tokens per message (seed 000)", () => {
    expect(tokenizer.countMessage({ role: "user", parts: [{ type: "text", text: "abcdefgh" }] })).toBe(2 + 4);
  });

  it("counts a call by its name and JSON arguments, and malformed arguments as they were written", () => {
    const call: Part = { type: "tool-call", callId: asToolCallId("c"), toolName: "read", input: { path: "a.ts" } };
    expect(tokenizer.countPart(call)).toBe(1 + Math.ceil('{"path":"a.ts"}'.length / 4));
    expect(tokenizer.countPart({ ...call, input: "{oops", invalidInput: "{oops" })).toBe(1 + 2);
  });

  it("counts a JSON result by its serialized body", () => {
    const result = { toolName: "t", callId: asToolCallId("c"), outcome: "success" } as const;
    expect(
      tokenizer.countPart({
        type: "tool-result",
        result: { ...result, content: { type: "json", value: { a: [1, "x"] } } },
      }),
    ).toBe(Math.ceil('{"a":[1,"x"]}'.length / 4));
  });

  it("counts a picture at a fixed size, never by the length of its base64", () => {
    const image: Part = { type: "image", source: { kind: "base64", mediaType: "image/png", data: base64 } };
    const inResult: Part = {
      type: "tool-result",
      result: {
        toolName: "t",
        callId: asToolCallId("c"),
        outcome: "success",
        content: { type: "blocks", blocks: [image] },
      },
    };
    expect(tokenizer.countPart(image)).toBe(1_600);
    expect(tokenizer.countPart(inResult)).toBe(1_600);
  });

  it("counts a base64-encoded text document by its decoded text", () => {
    const file: Part = { type: "file", source: { kind: "base64", mediaType: "text/csv", data: base64 } };
    expect(tokenizer.countPart(file)).toBe(75_000);
  });
});

describe("loadTokenizer", () => {
  it.each(TOKENIZER_IDS)("spec-90 spec-127 loads the counter %s", async (id) => {
    expect((await loadTokenizer(id)).id).toBe(id);
  });

  it("accepts the short name tiktoken", async () => {
    expect((await loadTokenizer("tiktoken")).id).toBe("tiktoken:o200k_base");
  });

  it.each(["", "gpt", "__proto__", "constructor"])("rejects %j and lists the known ids (S11)", async (id) => {
    await expect(loadTokenizer(id)).rejects.toMatchObject({
      code: "INVALID_CONFIG",
      hint: expect.stringContaining("heuristic, character-classes, tiktoken:o200k_base"),
    });
  });

  it.each<[string, () => Promise<unknown>]>([
    ["family", () => loadProviderTokenizer(undefined as never)],
    ["family", () => loadProviderTokenizer("__proto__" as never)],
    ["encoding", () => TiktokenTokenizer.load("p50k_base" as never)],
    ["encoding", () => TiktokenTokenizer.load(null as never)],
  ])("and its parts refuse another %s", async (name, load) => {
    await expect(load()).rejects.toMatchObject({ code: "INVALID_CONFIG", details: { name } });
  });

  it("loads no encoder module for the package index or the heuristic counter", () => {
    const script = `
      import { registerHooks } from "node:module";
      const loaded = [];
      registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
      const { loadTokenizer } = await import(${JSON.stringify(new URL("index.ts", import.meta.url).href)});
      (await loadTokenizer("heuristic")).countTokens("text");
      process.stdout.write(JSON.stringify(loaded.filter((url) => /tiktoken\\/|ai-tokenizer/.test(url.replace("src/tiktoken/", "")))));
    `;
    const output = execFileSync(
      process.execPath,
      ["--conditions=threadfold-source", "--no-warnings", "--input-type=module", "--eval", script],
      { encoding: "utf8" },
    );
    expect(JSON.parse(output)).toEqual([]);
  });
});
