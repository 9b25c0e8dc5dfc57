import type { PlanVerifier, Summarizer } from "@threadfold/core";
import { type CompactionStrategy, threadfoldPreset } from "@threadfold/strategies";
import { scriptThread } from "@threadfold/strategies/laws";
import { afterEach, describe, expect, it, vi } from "vitest";
import { factSummarizer, runFold } from "../testing/run-fold.ts";
import { viewVerifier } from "../testing/view-verifier.ts";

const thread = scriptThread("u1 a1 u2 a2 u3 a3 u4", 500);
/** The real one, whatever a test fakes. */
const now = performance.now.bind(performance);
const config = { maxInputTokens: 2_000 };

/** Sets a timer that aborts, and keeps the thread of execution busy until it is due. */
function abortWhileBusy(controller: AbortController): void {
  setTimeout(() => controller.abort(), 1);
  const end = now() + 10;
  while (now() < end);
}

const busy = (controller = new AbortController()): CompactionStrategy => ({
  name: "busy",
  aggressiveness: 1,
  analyze: () => {
    abortWhileBusy(controller);
    return [];
  },
});

afterEach(() => void vi.useRealTimers());

describe("a fold whose abort timer fires while it works", () => {
  it("ends as aborted before it calls a summarizer", async () => {
    const controller = new AbortController();
    let asked = false;
    const summarizer: Summarizer = {
      id: "asked@1",
      summarize: (request) => {
        asked = true;
        return factSummarizer.summarize(request);
      },
    };
    const ports = { ladder: [busy(controller), ...threadfoldPreset.ladder], summarizer };
    const { result } = runFold(thread, { config, ports, input: { signal: controller.signal } });
    expect(await result).toMatchObject({ type: "aborted" });
    expect(asked).toBe(false);
  });

  it("ends as aborted before it verifies a plan, and before it returns one", async () => {
    for (const busyIn of ["summarizing", "verifying"]) {
      const controller = new AbortController();
      let verified = 0;
      const inner = viewVerifier(thread);
      const verifier: PlanVerifier = {
        measure: (plan) => inner.measure(plan),
        verify: (plan) => {
          verified++;
          if (busyIn === "verifying") abortWhileBusy(controller);
          return inner.verify(plan);
        },
      };
      const summarizer: Summarizer = {
        id: "busy@1",
        summarize: (request) => {
          if (busyIn === "summarizing") abortWhileBusy(controller);
          return factSummarizer.summarize(request);
        },
      };
      const { result } = runFold(thread, {
        config,
        ports: { verifier, summarizer },
        input: { signal: controller.signal },
      });
      expect(await result).toMatchObject({ type: "aborted" });
      expect(verified, busyIn).toBe(busyIn === "verifying" ? 1 : 0);
    }
  });

  it("does not wait for faked timers", async () => {
    vi.useFakeTimers();
    const { result } = runFold(thread, { config, ports: { ladder: [busy(), ...threadfoldPreset.ladder] } });
    expect(await result).toMatchObject({ type: "ready" });
  });
});
