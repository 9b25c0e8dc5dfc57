import { cpuTimeMs, hostileTexts } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { namesInText } from "./names.ts";

describe("names in a text", () => {
  it.each<[string, readonly string[]]>([
    ["open src/http/retry.ts.", ["src/http/retry.ts"]],
    ["see `/srv/app/main.py:12: error`", ["/srv/app/main.py"]],
    ["./cli/state.go-23-\treturn", ["./cli/state.go"]],
    ["call os.environ.VLLM_LOGGING_LEVEL now", ["os.environ.VLLM_LOGGING_LEVEL", "VLLM_LOGGING_LEVEL"]],
    ["class SessionChecker", ["SessionChecker"]],
    ["run golangci-lint with gpt-4o-mini", ["golangci-lint", "gpt-4o-mini"]],
    ["std::vector of node:fs and block_size-offset", ["std::vector", "node:fs", "block_size-offset", "block_size"]],
    ["state_a.go-23-\tstate_a.go:24:return", ["state_a.go", "state_a"]],
    [
      "at 6032533cbb0b6d3a9bbce82a1af4b20f679eafd0 since 20250514",
      ["6032533cbb0b6d3a9bbce82a1af4b20f679eafd0", "20250514"],
    ],
    ['{"cmd":"cat\\nsrc/late.py"}', ["src/late.py"]],
    ["請看src/main_loop.py的內容", ["src/main_loop.py"]],
    ["plain words only, nothing else matters.", []],
  ])("%j", (text, names) => expect(namesInText(text)).toEqual(names));

  it("R29 takes linear time on hostile text", () => {
    fc.assert(
      fc.property(hostileTexts, (text) => void namesInText(text)),
      { numRuns: 50 },
    );
    const timeOf = (text: string): number => {
      const start = cpuTimeMs();
      namesInText(text);
      return cpuTimeMs() - start;
    };
    const [once, twice] = [timeOf("a-.~".repeat(100_000)), timeOf("a-.~".repeat(200_000))];
    expect(twice).toBeLessThan(Math.max(50, once * 4));
  });
});
