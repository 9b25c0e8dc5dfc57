import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { loadTokenizer, TOKENIZER_IDS } from "./load-tokenizer.ts";

describe("loading a counter by id", () => {
  it.each(TOKENIZER_IDS)("gives the counter %s", async (id) => {
    expect((await loadTokenizer(id)).id).toBe(id);
  });

  it("knows tiktoken by its short name", async () => {
    expect((await loadTokenizer("tiktoken")).id).toBe("tiktoken:o200k_base");
  });

  it.each(["", "gpt", "__proto__", "constructor"])("refuses %j and lists the known ids (S11)", async (id) => {
    await expect(loadTokenizer(id)).rejects.toMatchObject({
      code: "INVALID_CONFIG",
      hint: expect.stringContaining("heuristic, tiktoken:o200k_base"),
    });
  });

  it("loads no encoder for the package's index or the heuristic", () => {
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
