import { describe, expect, it } from "vitest";
import { didAllRun, type RanTask } from "./did-all-run.ts";

const passed: RanTask = { mode: "run", result: { state: "pass" } };

describe("a test file ran whole", () => {
  it.each<[boolean, RanTask]>([
    [true, passed],
    [true, { mode: "run", tasks: [passed, { mode: "run", tasks: [passed] }] }],
    [false, { mode: "run", tasks: [passed, { mode: "skip" }] }],
    [false, { mode: "run", tasks: [passed, { mode: "todo" }] }],
    [false, { mode: "run", tasks: [{ mode: "run", result: { state: "fail" } }] }],
    [false, { mode: "run" }],
  ])("%s of %j", (expected, task) => {
    expect(didAllRun(task)).toBe(expected);
  });
});
