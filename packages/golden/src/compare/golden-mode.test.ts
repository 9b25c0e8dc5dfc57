import { describe, expect, it } from "vitest";
import { goldenMode } from "./golden-mode.ts";

describe("the mode of golden prompts", () => {
  it.each([
    [{}, "new", "new"],
    [{}, "all", "update"],
    [{}, "none", "check"],
    [{ THREADFOLD_UPDATE_GOLDENS: "1" }, "new", "update"],
    [{ THREADFOLD_UPDATE_GOLDENS: "0" }, "new", "new"],
    [{ CI: "true" }, "new", "check"],
    [{ CI: "1", THREADFOLD_UPDATE_GOLDENS: "1" }, "all", "check"],
    [{ CI: "false" }, "all", "update"],
  ] as const)("of %j with snapshots %s is %s", (environment, runner, mode) => {
    expect(goldenMode(environment, runner)).toBe(mode);
  });
});
