import {
  asMessageId,
  asThreadId,
  type CompletionModel,
  type CompletionRequest,
  type ContextCompactionEvent,
  type MessageInput,
  modelCallError,
  type Summarizer,
} from "@threadfold/core";
import { assistant, call, message, result, tool } from "@threadfold/core/laws";
import { exportSession, importSession } from "@threadfold/importers";
import { createMemoryStore } from "@threadfold/stores";
import { pi, piPreset } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import { planWindow } from "../replay/replay-thread.ts";
import { openSession, work } from "../testing/agent-work.ts";

const AT = "2026-01-01T00:00:00.000Z";

/** A line of a session file of pi's first design: a message by its name in the document, or a compaction. */
type Line = string | { readonly summary: string; readonly keepLastMessages: number };

function sessionFile(lines: readonly Line[]): Uint8Array {
  const calls = new Map<string, number>();
  const entries = lines.map((line) => {
    if (typeof line !== "string") return { type: "compaction", timestamp: AT, tokensBefore: 100, ...line };
    const [role, turn] = [line[0], line.slice(1)];
    const next = lines[lines.indexOf(line) + 1];
    if (role === "u") return { type: "message", timestamp: AT, message: { role: "user", content: line } };
    if (role === "t") {
      const message = { role: "toolResult", toolCallId: `call-${turn}`, toolName: "bash", isError: false };
      return { type: "message", timestamp: AT, message: { ...message, content: [{ type: "text", text: line }] } };
    }
    const isCalling = typeof next === "string" && next.startsWith("t") && !calls.has(turn);
    calls.set(turn, 1);
    const call = { type: "toolCall", id: `call-${turn}`, name: "bash", arguments: {} };
    const content = [{ type: "text", text: line }, ...(isCalling ? [call] : [])];
    return { type: "message", timestamp: AT, message: { role: "assistant", content, stopReason: "stop" } };
  });
  const header = { type: "session", id: "s", timestamp: AT, cwd: "/work" };
  return new TextEncoder().encode([header, ...entries].map((entry) => JSON.stringify(entry)).join("\n"));
}

/** What a session shows of such a file: its messages by name, and [the text of a summary]. */
async function loaded(lines: readonly Line[]): Promise<readonly string[]> {
  const imported = await importSession(sessionFile(lines));
  const session = await openSession({ preset: piPreset, config: { maxInputTokens: 200_000 } });
  await session.append(imported.messages);
  const outcome = await session.applyCompactions(imported.compactions);
  const { request, violations } = await session.prepare();
  expect(violations).toEqual([]);
  expect((await session.replay()).every(({ equal }) => equal)).toBe(true);
  const shown = request.messages.filter(({ synthetic }) => synthetic !== "continuation");
  return shown.map(({ synthetic, parts: [part] }) => {
    const text = part?.type === "text" ? part.text : part?.type === "tool-result" ? JSON.stringify(part) : "";
    if (synthetic === "summary") {
      expect(outcome.type).toBe("committed");
      expect(text).toContain("Another language model worked on this task and produced a summary.");
      return `[${/summary \w+/.exec(text)?.[0]}]`;
    }
    return /[uat]\d/.exec(text)?.[0] ?? text;
  });
}

const SINGLE = ["u1", "a1", "u2", "a2", "u3", "a3", "u4", "a4", "t4"];
const COMPACTED = { summary: "summary one", keepLastMessages: 3 };

describe("pi, by requirement", () => {
  it("pi-2 context tokens are the input and output of the newest answer, thinking included", async () => {
    const session = await openSession({ preset: pi(), config: { maxInputTokens: 200_000 } });
    await session.append(
      Array.from({ length: 12 }, (_, n) => message(`u${n}`, "user", `Go on. ${"word ".repeat(2_000)}`)),
    );
    await session.prepare();
    await session.complete({
      messages: [message("a0", "assistant", "Yes.")],
      usage: { inputTokens: 176_000, outputTokens: 10_000 },
    });
    expect((await session.prepare()).outcome?.type).toBe("committed");
    const below = await openSession({ preset: pi(), config: { maxInputTokens: 200_000 } });
    await below.append([message("u0", "user", "Go on.")]);
    await below.prepare();
    const usage = { inputTokens: 176_000, outputTokens: 7_000 };
    await below.complete({ messages: [message("a0", "assistant", "Yes.")], usage });
    expect((await below.prepare()).outcome?.type).toBe("no-op");
  });

  it("pi-5 with splitTurns off, nothing is cut inside a turn, however large it is", async () => {
    const shown = async (splitTurns: boolean) => {
      const session = await openSession({ preset: pi({ splitTurns }), config: { maxInputTokens: 100_000 } });
      await session.append([
        ...Array.from({ length: 8 }, (_, n) =>
          message(`p${n}`, n % 2 === 0 ? "user" : "assistant", "word ".repeat(2_000)),
        ),
        message("u", "user", "The task."),
        ...work(0, 30, 1_000),
      ]);
      await session.compact({ force: true });
      return (await session.prepare()).manifest.messages.filter(({ action }) => action === "include").length;
    };
    expect(await shown(false)).toBe(61);
    expect(await shown(true)).toBeLessThan(50);
  });

  it("pi-7 reserveTokens and keepRecentTokens can be set, and a summary gets 0.8 of the reserve", async () => {
    const preset = pi({ reserveTokens: 40_000, keepRecentTokens: 5_000 });
    expect(preset.config.summaryMaxTokens).toBe(32_000);
    const session = await openSession({ preset, config: { maxInputTokens: 100_000 } });
    await session.append(
      Array.from({ length: 59 }, (_, n) => message(`m${n}`, n % 2 === 0 ? "user" : "assistant", "x".repeat(3_984))),
    );
    expect((await session.prepare()).outcome?.type).toBe("no-op");
    await session.append([message("more", "user", "x".repeat(8_000))]);
    expect((await session.prepare()).outcome?.type).toBe("committed");
    const kept = (await session.prepare()).manifest.messages.filter(({ action }) => action === "include");
    expect(kept.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(5_000);
    for (const settings of [{ reserveTokens: -1 }, { keepRecentTokens: 0.5 }, { keepTokens: 1 }])
      expect(() => pi(settings as object)).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
  });

  it("pi-8 automatic folding can be switched at run time and is shown in stats; a forced fold always works", async () => {
    const session = await openSession({ preset: pi(), config: { maxInputTokens: 40_000 }, onOverBudget: "send" });
    const turns = (from: number): readonly MessageInput[] =>
      Array.from({ length: 40 }, (_, n) =>
        message(`m${from + n}`, n % 2 === 0 ? "user" : "assistant", "word ".repeat(700)),
      );
    await session.append(turns(0));
    session.setAutoCompaction(false);
    expect(session.stats().autoCompaction).toBe(false);
    expect((await session.prepare()).outcome?.type).toBe("disabled");
    expect((await session.compact()).type).toBe("disabled");
    expect((await session.compact({ force: true })).type).toBe("committed");
    await session.append(turns(40));
    expect((await session.prepare()).outcome?.type).toBe("disabled");
    session.setAutoCompaction(true);
    expect(session.stats().autoCompaction).toBe(true);
    expect((await session.prepare()).outcome?.type).toBe("committed");
  });

  it("pi-12 an exported compaction says how many messages it keeps, as in the document", async () => {
    const session = await openSession({ preset: pi({ keepRecentTokens: 2_500 }), config: { maxInputTokens: 40_000 } });
    await session.append(
      Array.from({ length: 12 }, (_, n) => message(`m${n}`, n % 2 === 0 ? "user" : "assistant", "word ".repeat(800))),
    );
    await session.compact({ force: true });
    const { thread, plan } = session;
    const { text } = exportSession("pi", { thread, plan, window: planWindow(thread, plan), at: AT });
    const last = JSON.parse(text.trimEnd().split("\n").at(-1) as string);
    expect(last).toMatchObject({ type: "compaction", keepLastMessages: 2, tokensBefore: plan.originalTokens });
    const again = await importSession(new TextEncoder().encode(text));
    expect(again.compactions.at(-1)?.firstKeptMessageId).toBe(again.messages.at(-3)?.id);
  });

  describe("pi-13 a log loaded from its latest compaction shows the summary, the kept messages and what came after", () => {
    it("example: single compaction", async () => {
      expect(await loaded([...SINGLE, COMPACTED])).toEqual(["[summary one]", "u4", "a4", "t4"]);
      expect(await loaded([...SINGLE, COMPACTED, "u5", "a5"])).toEqual(["[summary one]", "u4", "a4", "t4", "u5", "a5"]);
    });

    it("example: multiple compactions", async () => {
      const later = ["u5", "a5", "u6", "a6", "t6", "u7", "a7", { summary: "summary two", keepLastMessages: 2 }];
      expect(await loaded([...SINGLE, COMPACTED, ...later])).toEqual(["[summary two]", "u7", "a7"]);
    });

    it("example: branching after the compaction keeps it, branching before undoes it", async () => {
      const before = ["u1", "a1", "u2", "a2"];
      const compacted = { summary: "summary one", keepLastMessages: 2 };
      expect(await loaded([...before, compacted, "u3"])).toEqual(["[summary one]", "u2", "a2", "u3"]);
      expect(await loaded(["u1", "a1", "u2"])).toEqual(["u1", "a1", "u2"]);
    });
  });

  it("pi-14 keepLastMessages never reaches across an earlier compaction", async () => {
    const later = ["u5", "a5", { summary: "summary two", keepLastMessages: 20 }, "u6"];
    expect(await loaded([...SINGLE, COMPACTED, ...later])).toEqual(["[summary two]", "u5", "a5", "u6"]);
  });

  it("pi-13 compactions are refused while messages are missing, and applied only once", async () => {
    const imported = await importSession(sessionFile([...SINGLE, COMPACTED]));
    const session = await openSession({ threadId: asThreadId("other"), store: createMemoryStore(), preset: pi() });
    await expect(session.applyCompactions(imported.compactions)).rejects.toMatchObject({ code: "MESSAGE_NOT_FOUND" });
    await session.append(imported.messages);
    expect((await session.applyCompactions(imported.compactions)).type).toBe("committed");
    expect((await session.applyCompactions(imported.compactions)).type).toBe("no-op");
    expect((await session.explain(asMessageId(imported.messages[0]?.id as string))).action).toBe("summarize");
  });

  it("pi-26 warns from the first compaction on that quality may suffer", async () => {
    expect(piPreset.warnAfterCompactions).toBe(1);
    const warnings: (string | null)[] = [];
    const session = await openSession({
      preset: pi({ keepRecentTokens: 1_000 }),
      config: { maxInputTokens: 40_000 },
      onEvent: (event) => event.type === "compaction_boundary" && warnings.push(event.notice.warning),
    });
    await session.append(Array.from({ length: 12 }, (_, n) => message(`m${n}`, "user", "word ".repeat(800))));
    await session.compact({ force: true });
    expect(warnings).toEqual([expect.any(String)]);
  });

  const chat = (from: number, to: number, tokens = 800): readonly MessageInput[] =>
    Array.from({ length: to - from }, (_, n) =>
      message(
        `m${from + n}`,
        (from + n) % 2 === 0 ? "user" : "assistant",
        `Part ${from + n}. ${"word ".repeat(tokens)}`,
      ),
    );
  const small = { preset: pi({ keepRecentTokens: 2_500 }), config: { maxInputTokens: 40_000 } };

  it("pi-3 the usage of failed and aborted answers does not count", async () => {
    for (const [stopReason, type] of [
      ["end", "committed"],
      ["error", "no-op"],
      ["aborted", "no-op"],
    ] as const) {
      const session = await openSession({ preset: pi(), config: { maxInputTokens: 200_000 } });
      await session.append(chat(0, 13, 2_000));
      await session.prepare();
      const usage = { inputTokens: 190_000, outputTokens: 10 };
      await session.complete({ messages: [message("a", "assistant", "Yes.")], usage, stopReason });
      expect((await session.prepare()).outcome?.type, stopReason).toBe(type);
    }
  });

  it("pi-9 pi-15 pi-18 instructions are in the checkpoint's prompt, which asks for absolute paths and offers no tools", async () => {
    const asked: CompletionRequest[] = [];
    const summaryModel: CompletionModel = {
      id: "prose",
      complete: async (request) => {
        asked.push(request);
        return { text: "All is said.", finish: "stop", toolCalls: 0 };
      },
    };
    const session = await openSession({ ...small, summaryModel });
    await session.append(chat(0, 12));
    const instructions = "Keep the names of parts.";
    expect(await session.compact({ force: true, instructions })).toMatchObject({ instructions: "used" });
    const [{ messages, ...request } = { messages: [] }] = asked;
    const text = messages.map((said) => said.text).join("\n");
    for (const part of ["CONTEXT CHECKPOINT COMPACTION", "Absolute file paths", instructions])
      expect(text).toContain(part);
    expect(Object.keys(request)).not.toContain("tools");
    const own: Summarizer = {
      id: "own",
      summarize: async ({ instructions: told = "", span }) => ({
        changes: [{ op: "add", section: "facts", item: { text: told, sources: span.messageIds.slice(0, 1) } }],
      }),
    };
    const other = await openSession({ ...small, summarizer: own });
    await other.append(chat(0, 12));
    expect(await other.compact({ force: true, instructions })).toMatchObject({ instructions: "used" });
    expect(other.plan.summarizations[0]?.summary.facts.map(({ text: fact }) => fact)).toEqual([instructions]);
  });

  it("pi-10 pi-23 the waiting user message is sent after a fold, and every user message stays listable", async () => {
    const session = await openSession(small);
    await session.append(chat(0, 12));
    await session.compact({ force: true });
    await session.append([message("next", "user", "The one that waited.")]);
    expect(JSON.stringify((await session.prepare()).request.messages.at(-1))).toContain("The one that waited.");
    const users = [...session.thread.messages].filter(({ role }) => role === "user");
    expect(users.map(({ id }) => id)).toEqual(["m0", "m2", "m4", "m6", "m8", "m10", "next"]);
  });

  it("pi-17 a signal aborts the fold, and nothing is committed", async () => {
    const controller = new AbortController();
    const summaryModel: CompletionModel = {
      id: "slow",
      complete: ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener("abort", () => reject(signal.reason));
          controller.abort();
        }),
    };
    const session = await openSession({ ...small, summaryModel });
    await session.append(chat(0, 12));
    expect((await session.compact({ force: true, signal: controller.signal })).type).toBe("aborted");
    expect(session.plan.version).toBe(0);
  });

  it("pi-19 when the model fails, a summary without it is used and reported, or with keep nothing is folded", async () => {
    const down = modelCallError("down", { kind: "rejected", status: 401 });
    const summaryModel: CompletionModel = { id: "down", complete: () => Promise.reject(down) };
    const cases = [
      [undefined, "summarizer-failed-floor-used", 1],
      ["keep", "failed", 0],
    ] as const;
    for (const [onSummaryFailure, type, version] of cases) {
      const session = await openSession({
        ...small,
        summaryModel,
        ...(onSummaryFailure !== undefined && { onSummaryFailure }),
      });
      await session.append(chat(0, 12));
      const outcome = await session.compact({ force: true });
      expect(outcome).toMatchObject({ type, problem: expect.stringContaining("down") });
      expect(session.plan.version).toBe(version);
    }
  });

  it("pi-20 paths of pictures that were read are in the summary", async () => {
    const session = await openSession(small);
    const path = "/home/ann/shots/login-screen.png";
    await session.append([
      message("u", "user", `What is in ${path}?`),
      assistant("c", call("1", "read", { path })),
      tool("r", result("1", "A login form. ".repeat(400))),
      message("d", "assistant", "A login form."),
      ...chat(20, 30),
    ]);
    await session.compact({ force: true });
    expect(JSON.stringify((await session.prepare()).request.messages[0])).toContain(path);
  });

  it("pi-21 pi-25 events report the start, the records, a notice for users and the end", async () => {
    const events: ContextCompactionEvent[] = [];
    const session = await openSession({ ...small, onEvent: (event) => events.push(event) });
    await session.append(chat(0, 12));
    await session.compact({ force: true });
    const types = events.map(({ type }) => type).filter((type) => type !== "compaction_proposal_generated");
    expect(types).toEqual([
      "compaction_check_started",
      "compaction_summarized",
      "compaction_boundary",
      "compaction_completed",
    ]);
    expect(events.find(({ type }) => type === "compaction_boundary")).toMatchObject({
      notice: { text: expect.stringMatching(/\d/) },
    });
  });

  it("pi-24 a fold is due before a request, or after an answer when compact is called", async () => {
    const session = await openSession(small);
    await session.append(chat(0, 12));
    await session.prepare();
    const usage = { inputTokens: 30_000, outputTokens: 10 };
    await session.complete({ messages: [message("a", "assistant", "Yes.")], usage });
    expect(session.plan.version).toBe(0);
    expect((await session.compact()).type).toBe("committed");
  });

  it("pi-27 attempts that fold nothing postpone the next one for some calls, and not for good", async () => {
    const session = await openSession({ preset: pi(), config: { maxInputTokens: 60_000 } });
    await session.append([message("big", "user", "x".repeat(4 * 45_000))]);
    for (let look = 0; look < 6; look++) {
      await session.prepare();
      await session.append(work(look, look + 1, 50));
    }
    expect(session.plan.version).toBe(0);
    await session.append([message("next", "user", "Go on."), ...work(10, 40, 50)]);
    const outcomes: (string | undefined)[] = [];
    for (let step = 0; step < 60 && !outcomes.includes("committed"); step++) {
      outcomes.push((await session.prepare()).outcome?.type);
      await session.append(work(100 + step, 101 + step, 20));
    }
    expect(outcomes).toContain("committed");
  });
});
