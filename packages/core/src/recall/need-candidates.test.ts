import { describe, expect, it } from "vitest";
import { call } from "../laws/messages.ts";
import { needCandidates } from "./need-candidates.ts";

describe("needCandidates", () => {
  const candidatesOf = (text: string) => needCandidates([{ parts: [call("c", "bash", { text })] }]);

  it("reads paths, identifiers, long numbers and quoted names, and no plain words", () => {
    expect(candidatesOf("sed -n 1,200p /repo/src/io.ts")).toEqual(["/repo/src/io.ts"]);
    expect(candidatesOf("call readLine then vllm.core.block")).toEqual(["readLine", "vllm.core.block"]);
    expect(candidatesOf("kill 4711234 please")).toEqual(["4711234"]);
    expect(candidatesOf("please return the configuration")).toEqual([]);
    expect(candidatesOf(`throw "session is nil" or 'no such file', don't it's`)).toEqual([
      "session is nil",
      "no such file",
    ]);
    expect(candidatesOf('"a b" and " padded words "')).toEqual([]);
  });
});
