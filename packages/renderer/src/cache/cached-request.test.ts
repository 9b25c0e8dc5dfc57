import { promptCachePrice, simulatePrefixCache } from "@threadfold/core";
import { call, result } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { anthropicBreakpoints } from "../formats/anthropic-messages/mark-breakpoints.ts";
import { renderSample } from "../testing/render-sample.ts";
import { type MessageSpec, planWith, summaryOver, threadOf } from "../testing/sample-thread.ts";
import { cachedRequest } from "./cached-request.ts";

describe("cachedRequest", () => {
  it("shows the cost of a fold: one request is written to the cache anew, the next ones are read from it", () => {
    const steps = Array.from({ length: 24 }, (_, index): readonly MessageSpec[] => [
      ["assistant", call(`c${index}`)],
      ["tool", result(`c${index}`, `${index} `.repeat(300))],
    ]);
    const thread = threadOf(["user", "go"], ...steps.flat());
    const plan = planWith(thread, summaryOver(thread, [2, 3, 4, 5, 6, 7, 8, 9]));
    let previous: ReturnType<typeof renderSample> | undefined;
    const requests = [25, 27, 29, 31, 33].map((version, index) => {
      const rendered = renderSample(thread.atVersion(version), {
        format: "anthropic-messages",
        system: ["s".repeat(2_000)],
        ...(index >= 3 && { plan }),
      });
      const places = anthropicBreakpoints(
        rendered.request,
        previous === undefined ? {} : { previous: previous.request },
      );
      previous = rendered;
      return cachedRequest(rendered, index * 1_000, places);
    });
    const shares = simulatePrefixCache(requests, { price: promptCachePrice("anthropic") }).map(
      ({ readTokens, writtenTokens, uncachedTokens }) => readTokens / (readTokens + writtenTokens + uncachedTokens),
    );
    expect(shares[0]).toBe(0);
    expect(Math.min(shares[1] as number, shares[2] as number, shares[4] as number)).toBeGreaterThan(0.8);
    expect(shares[3]).toBeLessThan(0.5);
  });
});
