import { MODELS } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { captureRun } from "../testing/captured-io.ts";

describe("models", () => {
  it("lists every row with window, cap, prices and date, within the page", async () => {
    const { code, stdout } = await captureRun(["models"], { columns: 100 });
    expect(code).toBe(0);
    for (const { name, asOf } of MODELS)
      expect(stdout).toMatch(new RegExp(`^${name.replaceAll(".", "\\.")} .*${asOf}$`, "m"));
    expect(stdout).toMatch(/^gpt-5\.6-sol +1,050,000 +272,000 +128,000 +4 +20 +0\.1 read, 1\.25 written/m);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  });

  it("finds one by the name that a gateway has for it, and says where its figures are from", async () => {
    const { stdout } = await captureRun(["models", "anthropic/claude-opus-5.5"]);
    expect(stdout).toContain("claude-opus-5-5");
    expect(stdout).toContain("From: platform.claude.com");
    const { stdout: json } = await captureRun(["models", "gpt-4", "--json"]);
    expect(JSON.parse(json)).toMatchObject({ data: { models: [{ name: "gpt-4", windowTokens: 8_192, cap: 7_168 }] } });
  });

  it("says that a model is not known, and what to do", async () => {
    const { code, stderr } = await captureRun(["models", "house-7b"]);
    expect(code).not.toBe(0);
    expect(stderr).toContain("The model house-7b is not known");
    expect(stderr).toContain("maxInputTokens");
  });
});
