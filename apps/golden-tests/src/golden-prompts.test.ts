import { obsoleteGoldenPrompts } from "@threadfold/golden";
import { goldenPrompt } from "@threadfold/golden/vitest";
import { describe, expect, it } from "vitest";
import { CASES, goldenCases } from "./golden-case.ts";

const cases = goldenCases();

describe("golden prompts", () => {
  it.each(cases)("spec-5 of $name are what the files say", async ({ folder, options }) => {
    await expect(goldenPrompt(options)).toMatchGoldenPrompt(folder);
  });

  it("are only of sessions and presets that there are", async () => {
    const folders = cases.map(({ folder }) => folder);
    expect(await obsoleteGoldenPrompts(CASES, folders)).toEqual([]);
  });
});
