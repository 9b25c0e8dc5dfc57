import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  AgentThread,
  asThreadId,
  type CompletionModel,
  type CompletionRequest,
  emptyPlan,
  type SummarizeRequest,
  type Summarizer,
} from "@threadfold/core";
import { message, pinnedClock } from "@threadfold/core/laws";
import { importSessionFile } from "@threadfold/importers";
import { createMemoryStore } from "@threadfold/stores";
import { presetByName } from "@threadfold/strategies";
import { handoffPrompt } from "@threadfold/summarizers";
import { heuristicTokenizer } from "@threadfold/tokenizers";
import { describe, expect, it } from "vitest";
import type { SessionOptions } from "../host/session-options.ts";
import { ContextSession } from "../loop/context-session.ts";
import { type HandoffOptions, handoff } from "./handoff.ts";
import { referencedThread, referenceOf } from "./thread-reference.ts";

const fresh = asThreadId("fresh");
const countTokens = (text: string): number => heuristicTokenizer().countTokens(text);

async function longSession(more: Partial<SessionOptions> = {}): Promise<ContextSession> {
  const session = await ContextSession.open({ threadId: asThreadId("old"), clock: pinnedClock(0), ...more });
  await session.append([
    message("u1", "user", "Build the importer in src/importer.ts. Never write to the production database."),
    message("a1", "assistant", "I decided to stream rows because the export is 40 GB. I created src/importer.ts."),
    message("u2", "user", "The billing report in reports/billing.sql is wrong, the VAT_RATE is 19 there."),
    message("a2", "assistant", "The VAT_RATE in reports/billing.sql comes from the table tax_rates_v2."),
    ...Array.from({ length: 10 }, (_, number) => message(`n${number}`, "assistant", `Nothing new, step ${number}.`)),
  ]);
  return session;
}
const options = (more: Partial<HandoffOptions> = {}): HandoffOptions => ({
  goal: "Fix the VAT_RATE in reports/billing.sql",
  threadId: fresh,
  clock: pinnedClock(0),
  ...more,
});

describe("handoff (seed 001)", () => {
  it("begins a thread with what the goal needs, the pins, the goal word for word and a reference back", async () => {
    const session = await longSession();
    const { thread, briefing, reference } = await handoff(session, options());
    expect(briefing).toContain("tax_rates_v2");
    expect(briefing).toContain("[Handoff from thread old at version");
    expect(briefing).not.toContain("Nothing new, step 3");
    expect(thread.livePins.map(({ text }) => text)).toEqual(session.thread.livePins.map(({ text }) => text));
    expect(thread.livePins.length).toBeGreaterThan(0);
    const [told, asked] = [...thread.messages];
    expect(told).toMatchObject({ origin: "harness", turn: 0 });
    expect(asked).toMatchObject({
      role: "user",
      turn: 1,
      parts: [{ text: "Fix the VAT_RATE in reports/billing.sql" }],
    });
    expect(told && referenceOf(told)).toEqual(reference);
    expect((await referencedThread(session.store, reference))?.digest).toBe(session.thread.digest);
    expect(await referencedThread(session.store, { ...reference, threadDigest: "0".repeat(64) })).toBeNull();
  });

  it("opens as a session whose first request is legal", async () => {
    const session = await longSession();
    await handoff(session, options());
    const next = await ContextSession.open({ threadId: fresh, store: session.store, clock: pinnedClock(0) });
    const { violations, missingPins, payloadText } = await next.prepare();
    expect({ violations, missingPins }).toEqual({ violations: [], missingPins: [] });
    expect(payloadText).toContain("tax_rates_v2");
  });

  it("refuses an empty goal, an empty thread and a thread id that is taken", async () => {
    const session = await longSession();
    const empty = asThreadId("empty");
    await expect(handoff(session, options({ goal: " " }))).rejects.toMatchObject({ code: "INVALID_CONFIG" });
    const nothing = { thread: AgentThread.empty(empty), plan: emptyPlan(empty, "none"), store: createMemoryStore() };
    await expect(handoff(nothing, options())).rejects.toMatchObject({ code: "INVALID_CONFIG" });
    await expect(handoff(session, options({ threadId: asThreadId("old") }))).rejects.toMatchObject({
      code: "VERSION_CONFLICT",
    });
  });
});

const secret = `xoxb-${"1".repeat(12)}-${"2".repeat(13)}-abcdefghijklmnopqrstuvwx`;

/** Says something of the VAT_RATE about the newest message, and keeps what it was asked. */
function saying(text: string) {
  const asked: SummarizeRequest[] = [];
  const summarizer: Summarizer = {
    id: "own@1",
    summarize: async (request) => {
      asked.push(request);
      const item = { text, sources: request.span.messageIds.slice(-1) };
      return { changes: [{ op: "add", section: "facts", item }] };
    },
  };
  return { summarizer, asked };
}

describe("a summarizer that a handoff is given", () => {
  const withSecret = async (more: Partial<SessionOptions> = {}) => {
    const session = await longSession(more);
    await session.append([message("s", "user", `Post to the channel with ${secret}, please.`)]);
    return session;
  };

  it.each([true, false])(
    "R26 redactSecrets: %s decides whether it sees secrets and hands them on",
    async (redactSecrets) => {
      const session = await withSecret({ redactSecrets, summaryChecks: [] });
      const { summarizer, asked } = saying(`The VAT_RATE is 19 and the token is ${secret}.`);
      const { summary, briefing, problem } = await session.handoff(options({ summarizer }));
      expect(problem).toBeNull();
      expect(summary.facts).toHaveLength(1);
      for (const shown of [JSON.stringify(asked[0]?.messages), JSON.stringify(summary), briefing])
        expect(shown.includes(secret)).toBe(!redactSecrets);
      expect(JSON.stringify([...session.thread.messages])).toContain(secret);
    },
  );

  it("R26 is extractive by default, and neither its summary nor the briefing holds a secret", async () => {
    const session = await withSecret();
    const goal = "Post to the other channel.";
    const { summary, briefing } = await handoff(session, options({ goal }));
    const [told, quoted] = briefing.split("## Passages that match");
    for (const text of [JSON.stringify(summary), told, quoted])
      expect(text).toContain("Post to the channel with [redacted slack-token]");
    expect(briefing).not.toContain(secret);
  });

  it.each([
    ["longer than the thread", saying("The VAT_RATE is 19. ".repeat(1_000)).summarizer],
    ["about an unknown identifier", saying("The VAT_RATE is in src/invented_vat.ts.").summarizer],
    ["down", { id: "own@1", summarize: () => Promise.reject(new Error(`no such key: ${secret}`)) }],
  ])(
    "P6 is replaced by the extractive summarizer when it fails, and the handoff says so: %s",
    async (_name, summarizer) => {
      const session = await longSession();
      const { briefing, problem } = await session.handoff(options({ summarizer }));
      expect(problem).toContain("own@1");
      expect(problem).not.toContain(secret);
      expect(briefing).toContain("tax_rates_v2");
      expect(briefing).not.toContain("invented_vat");
    },
  );

  it("is trusted when the session has no summary checks", async () => {
    const session = await longSession({ summaryChecks: [] });
    const { summarizer } = saying("The VAT_RATE is in src/invented_vat.ts.");
    const { briefing, problem } = await session.handoff(options({ summarizer }));
    expect(problem).toBeNull();
    expect(briefing).toContain("invented_vat");
  });

  it("ends when the signal aborts, and no thread is created", async () => {
    const session = await longSession();
    const controller = new AbortController();
    const summarizer: Summarizer = {
      id: "own@1",
      summarize: () => {
        controller.abort();
        return Promise.reject(new Error("aborted"));
      },
    };
    await expect(session.handoff(options({ summarizer, signal: controller.signal }))).rejects.toThrow("aborted");
    expect(await session.store.threads.load(fresh)).toBeNull();
  });
});

const recorded = resolve(
  process.env["THREADFOLD_DATA"] ?? join(import.meta.dirname, "../../../../../shared/data"),
  "pi/large-session.jsonl.gz",
);
describe.skipIf(!existsSync(recorded))("handoff of a recorded session (needs THREADFOLD_DATA)", () => {
  it("keeps to its token limit and names the file of the goal", async () => {
    const imported = await importSessionFile(recorded);
    const session = await ContextSession.open({ threadId: imported.threadId, journal: false });
    await session.append(imported.messages);
    const goal = "Fix the wrapping of ANSI codes in packages/tui/src/components/text.ts";
    const { briefing } = await handoff(session, options({ goal, maxTokens: 3_000 }));
    expect(countTokens(briefing)).toBeLessThanOrEqual(3_200);
    expect(briefing).toContain("packages/tui/src/components/text.ts");
  });
});

describe("a handoff of a session with a model", () => {
  const longerSession = async (more: Partial<SessionOptions>): Promise<ContextSession> => {
    const session = await longSession(more);
    await session.append([message("long", "assistant", "Went through the rows of the export. ".repeat(60))]);
    return session;
  };
  const WORDS = "The VAT_RATE in reports/billing.sql is read from tax_rates_v2; somebody has to look at 2019.";

  it.each(["threadfold", "codex"])("is written by the model, with the goal in the prompt: preset %s", async (name) => {
    const requests: CompletionRequest[] = [];
    const summaryModel: CompletionModel = {
      id: "telling",
      complete: async (request) => {
        requests.push(request);
        return { text: `${WORDS} It posts with ${secret}.`, finish: "stop", toolCalls: 0 };
      },
    };
    const settings = { temperature: 0.2 };
    const session = await longerSession({ summaryModel, preset: presetByName(name), summaryModelSettings: settings });
    await session.append([message("s", "user", `Post to the channel with ${secret}, please.`)]);
    const { briefing, summary, problem } = await session.handoff(options());
    expect(problem).toBeNull();
    expect(requests).toMatchObject([{ system: handoffPrompt.system, temperature: 0.2 }]);
    expect(requests[0]?.messages[0]?.text).toContain("The goal:\nKeep what is needed for this goal: Fix the VAT_RATE");
    expect(summary.narrative?.text).toContain(WORDS);
    expect(briefing).toContain(`  ${WORDS}`);
    // What code keeps stands beside it, and neither the model nor the handoff has the secret.
    expect(briefing).toContain("Never write to the production database.");
    expect(JSON.stringify([requests, briefing])).not.toContain(secret);
  });

  it("is checked, and falls back to the extractive summarizer when the model fails or invents", async () => {
    const answers = ["See a_1.go, b_2.go, c_3.go and d_4.go.", "I'm sorry, but I can't help with that."];
    for (const text of answers) {
      const summaryModel = { id: "wrong", complete: async () => ({ text, finish: "stop", toolCalls: 0 }) as const };
      const session = await longerSession({ summaryModel });
      const { briefing, problem } = await session.handoff(options());
      expect(problem).toContain("wrong");
      expect(briefing).not.toContain(text);
      expect(briefing).toContain("tax_rates_v2");
    }
  });

  it("uses the summarizer that it is given instead of the model", async () => {
    const summaryModel = { id: "unasked", complete: () => Promise.reject(new Error("asked")) };
    const session = await longerSession({ summaryModel });
    const { summarizer, asked } = saying("The VAT_RATE is 19 there.");
    expect((await session.handoff(options({ summarizer }))).problem).toBeNull();
    expect(asked).toHaveLength(1);
    const direct = { id: "direct", complete: async () => ({ text: WORDS, finish: "stop", toolCalls: 0 }) as const };
    const { briefing } = await handoff(session, options({ summaryModel: direct, threadId: asThreadId("fresh-2") }));
    expect(briefing).toContain(WORDS);
  });
});
