import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type CompletionModel,
  type MessageInput,
  planRecords,
  type SummarizeRequest,
  type Summarizer,
  visibleText,
} from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { FORMATS, formatById } from "@threadfold/renderer";
import { createMemoryStore, openStore } from "@threadfold/stores";
import { presetByName, summarizeStrategy, threadfoldPreset } from "@threadfold/strategies";
import { ExtractiveSummarizer } from "@threadfold/summarizers";
import { describe, expect, it } from "vitest";
import type { SessionOptions } from "./host/session-options.ts";
import { callOf, openSession, resultOf, threadId, work } from "./testing/agent-work.ts";

const config = { maxInputTokens: 10_000 };
const preset = { ...threadfoldPreset, ladder: [summarizeStrategy] };
const formats = FORMATS.filter(({ id }) => id !== "neutral");

/** A summarizer that works and keeps what it was asked. */
function watchedSummarizer() {
  const requests: SummarizeRequest[] = [];
  const summarizer: Summarizer = {
    id: "watched@1",
    summarize: (request) => {
      requests.push(request);
      return new ExtractiveSummarizer().summarize(request);
    },
  };
  const ids = () => requests.flatMap(({ messages }) => messages.map(({ id }) => String(id)));
  return { summarizer, requests, ids };
}

/** A model that works and keeps what it was sent. */
function watchedModel() {
  const sent: string[] = [];
  const model: CompletionModel = {
    id: "watched-model",
    complete: async ({ system, messages }) => {
      sent.push([system, ...messages.map(({ text }) => text)].join("\n"));
      const facts = [{ text: "The steps were made.", sources: [1] }];
      return { text: JSON.stringify({ add: { facts } }), finish: "stop", toolCalls: 0 };
    },
  };
  return { model, sent };
}

const folding = (options: Partial<SessionOptions> = {}) => openSession({ config, preset, ...options });

describe("what a session keeps", () => {
  it("C8 flags and summary are saved together: both exist after a reload from disk", async () => {
    const folder = mkdtempSync(join(tmpdir(), "threadfold-c8-"));
    try {
      const url = `sqlite:${join(folder, "store.db")}`;
      const session = await folding({ store: await openStore(url) });
      await session.append([message("u0", "user", "Build it."), ...work(0, 12, 900)]);
      const before = await session.prepare();
      await session.close();
      const again = await folding({ store: await openStore(url) });
      const after = await again.prepare();
      await again.loadHistory();
      const [record] = again.plan.summarizations;
      expect(record?.summary).toEqual(before.plan.summarizations[0]?.summary);
      expect(await again.explain(record?.span.messageIds[0] ?? callOf(0).id)).toMatchObject({ action: "summarize" });
      expect(after.payloadText).toBe(before.payloadText);
      await again.close();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("C9 a fold's synthetic message survives the filters of every provider's format", async () => {
    for (const format of formats) {
      const session = await folding({ format });
      await session.append([message("u0", "user", "Build it."), ...work(0, 12, 900)]);
      const { payloadText, violations, plan } = await session.prepare();
      expect(violations).toEqual([]);
      const text = plan.summarizations[0]?.summary.toolOutcomes[0]?.toolName ?? "Build it.";
      expect([format.id, payloadText.includes("[Conversation summary") || payloadText.includes("ummary")]).toEqual([
        format.id,
        true,
      ]);
      expect(payloadText).toContain(text);
    }
  });

  it("C10 a history that is handed in again and again is not duplicated while no trigger fires", async () => {
    const store = createMemoryStore();
    const talk: readonly MessageInput[] = [message("u0", "user", "Build it."), ...work(0, 3, 100)];
    let bytes: string | undefined;
    for (let round = 0; round < 5; round++) {
      const session = await openSession({ store, config });
      // A host that keeps no place of its own hands in all that it has.
      const known = [...session.thread.messages].map(({ ordinal: _o, turn: _t, step: _s, ...input }) => input);
      await session.append(round === 0 ? talk : known);
      const prepared = await session.prepare();
      bytes ??= prepared.payloadText;
      expect(prepared.outcome?.type).toBe("no-op");
      expect(prepared.payloadText).toBe(bytes);
      expect(session.thread.length).toBe(talk.length);
    }
    expect((await store.threads.load(threadId))?.length).toBe(talk.length);
  });
});

describe("what the summarizer is given", () => {
  it.each([
    ["with history", [message("u0", "user", "Build it. The port is 4217.")]],
    ["with no user before", []],
  ])("L1 a manual fold %s: the model gets prompt and history, and the next request is legal", async (_, opening) => {
    for (const format of formats) {
      const { model, sent } = watchedModel();
      const session = await folding({ format, summaryModel: model });
      await session.append([...opening, ...work(0, 8, 500)]);
      const outcome = await session.compact({ force: true, instructions: "Keep the TODOs." });
      expect([format.id, outcome.type]).toEqual([format.id, "committed"]);
      expect(sent[0]).toContain("Keep the TODOs.");
      expect(sent[0]).toContain("make step-0");
      const prepared = await session.prepare();
      expect([format.id, prepared.violations]).toEqual([format.id, []]);
      expect(prepared.payloadText).toContain("The steps were made.");
    }
  });

  it("L2 a fold in the middle of a turn, after a result: calls stay with their results on both sides", async () => {
    const { summarizer, requests } = watchedSummarizer();
    const session = await folding({ summarizer });
    await session.append([message("u0", "user", "Build it."), ...work(0, 11, 900), callOf(11)]);
    await session.append([resultOf(11, 900)]);
    const prepared = await session.prepare();
    expect(prepared.outcome?.type).toBe("committed");
    for (const { messages } of requests) {
      const ids = messages.map(({ id }) => String(id));
      for (const id of ids) if (/^[at]\d/.test(id)) expect(ids).toContain((id[0] === "a" ? "t" : "a") + id.slice(1));
    }
    expect(prepared.violations).toEqual([]);
    expect(formatById(prepared.format).check(prepared.payload)).toEqual([]);
    const shown = prepared.manifest.messages.filter(({ action }) => action === "include");
    expect(shown.at(-1)?.sources).toEqual(["t11"]);
    expect(shown.flatMap(({ sources }) => sources)).toContain("u0");
  });

  it("L3 a message that waits for its answer is not summarized, and is sent after the fold", async () => {
    const { summarizer, ids, requests } = watchedSummarizer();
    const session = await folding({ summarizer });
    await session.append([
      message("u0", "user", "Build it."),
      ...work(0, 12, 900),
      message("u1", "user", "And now deploy."),
    ]);
    const prepared = await session.prepare();
    expect(prepared.outcome?.type).toBe("committed");
    expect(ids()).not.toContain("u1");
    expect(requests.flatMap(({ overlap = [] }) => overlap)).toEqual([]);
    expect(prepared.manifest.messages.at(-1)?.sources).toEqual(["u1"]);
    expect(prepared.payloadText).toContain("And now deploy.");
  });

  it("L3 with an overlap, kept messages are shown to the summarizer, and the waiting message is still sent", async () => {
    const { summarizer, ids, requests } = watchedSummarizer();
    const overlapping = presetByName("spring-session");
    const ladder = overlapping.ladder;
    const session = await openSession({
      summarizer,
      preset: { ...overlapping, ladder },
      config: { maxInputTokens: 20_000 },
    });
    const turns = Array.from({ length: 8 }, (_, turn) => [
      message(`q${turn}`, "user", `Question ${turn}? ${"word ".repeat(400)}`),
      message(`p${turn}`, "assistant", `Answer ${turn}. ${"word ".repeat(400)}`),
    ]).flat();
    await session.append([...turns, message("u1", "user", "And now deploy.")]);
    const prepared = await session.prepare();
    expect(prepared.outcome?.type).toBe("committed");
    expect(requests.some(({ overlap = [] }) => overlap.length > 0)).toBe(true);
    expect(ids()).not.toContain("u1");
    expect(prepared.payloadText).toContain("And now deploy.");
  });

  it("L10 a switch to a smaller window folds before anything is sent, without the note of the switch", async () => {
    const { summarizer, ids } = watchedSummarizer();
    const session = await openSession({ summarizer, preset, config: { maxInputTokens: 60_000 }, model: "large" });
    await session.append([message("u0", "user", "Build it."), ...work(0, 20, 900)]);
    expect((await session.prepare()).outcome?.type).toBe("no-op");
    session.switchModel({ model: "small", maxInputTokens: 10_000 });
    await session.append([{ ...message("switch", "user", "<model switched to small>"), origin: "harness" }]);
    const prepared = await session.prepare();
    expect(prepared.outcome?.type).toBe("committed");
    expect(prepared.tokens).toBeLessThanOrEqual(10_000);
    expect(ids()).not.toContain("switch");
    expect(prepared.payloadText).toContain("<model switched to small>");
    expect(prepared.manifest.model).toBe("small");
    expect(session.config.maxInputTokens).toBe(10_000);
    expect((await session.replay()).every(({ equal }) => equal)).toBe(true);
    expect(() => session.switchModel({ maxInputTokens: 0 })).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIG" }),
    );
  });
});

describe("the context around a fold", () => {
  const count = (text: string, word: string): number => text.split(word).length - 1;

  it("L11 system text for one request alone is replaced by the next, and does not pile up after a fold", async () => {
    for (const format of formats) {
      const session = await folding({ format });
      await session.append([message("u0", "user", "Build it.")]);
      for (let turn = 0; turn < 4; turn++) {
        await session.append(work(4 * turn, 4 * turn + 4, 900));
        const frame = { system: ["You build.", `The clock says ephemeral-${turn}.`], tools: [] };
        const { payloadText, violations } = await session.prepare({ frame });
        expect(violations).toEqual([]);
        expect(count(payloadText, "ephemeral-")).toBe(1);
        expect(count(payloadText, `ephemeral-${turn}`)).toBe(1);
      }
      expect(session.plan.version).toBeGreaterThan(0);
      expect([...session.thread.messages].some((message) => visibleText(message).includes("ephemeral"))).toBe(false);
    }
  });

  it.each([
    ["several summaries", ["One was done.", "Two was done."], true],
    ["a summary alone", ["All was done."], false],
  ])(
    "L12 after another compaction left %s, system text and pins stand in the request once",
    async (_, texts, goesOn) => {
      for (const format of formats) {
        const session = await folding({ format });
        await session.pin("Never push to main.", "operator");
        const summaries = texts.map((text, index) => ({
          ...message(`s${index}`, "user", text),
          origin: "compaction" as const,
        }));
        await session.append([...summaries, ...(goesOn ? [message("u0", "user", "Go on.")] : [])]);
        const frame = { system: ["You build houses."], tools: [] };
        const { payloadText, violations } = await session.prepare({ frame });
        expect([format.id, violations]).toEqual([format.id, []]);
        expect(count(payloadText, "You build houses.")).toBe(1);
        expect(count(payloadText, "Never push to main.")).toBe(1);
        for (const text of texts) expect(count(payloadText, text)).toBe(1);
        // After a fold of ours over it as well.
        await session.append([...work(0, 12, 900), message("u9", "user", "And?")]);
        const folded = await session.prepare({ frame });
        expect([format.id, folded.outcome?.type, folded.violations]).toEqual([format.id, "committed", []]);
        expect(count(folded.payloadText, "You build houses.")).toBe(1);
        expect(count(folded.payloadText, "Never push to main.")).toBe(1);
      }
    },
  );

  it("L23 an empty compaction block folds nothing and is sent back unchanged, even after a fold", async () => {
    const value = { type: "compaction", content: null, encrypted_content: null };
    const block: MessageInput = {
      ...message("c0", "assistant", "On it."),
      parts: [
        { type: "opaque", provider: "anthropic", value },
        { type: "text", text: "On it." },
      ],
    };
    const session = await folding({ format: formatById("anthropic-messages") });
    await session.append([message("u0", "user", "The port is 4217."), block, message("u1", "user", "Go on.")]);
    const whole = await session.prepare();
    expect(whole.violations).toEqual([]);
    expect(whole.payloadText).toContain('{"content":null,"encrypted_content":null,"type":"compaction"}');
    expect(whole.payloadText).toContain("The port is 4217.");
    await session.append([...work(0, 12, 900), message("u2", "user", "And?")]);
    const folded = await session.prepare();
    expect(folded.outcome?.type).toBe("committed");
    expect(folded.violations).toEqual([]);
    expect(folded.payloadText).toContain('{"content":null,"encrypted_content":null,"type":"compaction"}');
    expect(planRecords(folded.plan).flatMap(({ span }) => span.messageIds)).not.toContain("c0");
  });
});
