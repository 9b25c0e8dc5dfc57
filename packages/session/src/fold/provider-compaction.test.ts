import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  canonicalJson,
  type JsonObject,
  type MessageInput,
  modelRow,
  type Part,
  type ThreadfoldStore,
  type Usage,
} from "@threadfold/core";
import { message, patience } from "@threadfold/core/laws";
import { FORMAT_NAMES, formatById } from "@threadfold/renderer";
import type { CompactionCall } from "@threadfold/renderer/native";
import { createMemoryStore } from "@threadfold/stores";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ModelResponse } from "../host/model-response.ts";
import type { ProviderCompactionOption, SessionOptions } from "../host/session-options.ts";
import type { ContextSession } from "../loop/context-session.ts";
import { openSession, resultOf, work } from "../testing/agent-work.ts";

type Item = Readonly<Record<string, unknown>>;

/** Four characters are a token here as well. */
const tokensOf = (value: unknown): number => Math.ceil(JSON.stringify(value).length / 4);
const proofOf = (text: string): string => createHash("sha256").update(`of the provider: ${text}`).digest("base64");
const listOf = (value: unknown): readonly Item[] => (Array.isArray(value) ? value : []);

/** What a provider refuses a request for, as it would say it. */
class Refused extends Error {}
const refuse = (isWrong: boolean, why: string): void => {
  if (isWrong) throw new Refused(why);
};

/** What the model of a double is shown of a request. */
interface SeenRequest {
  readonly shown: string;
  readonly isCompacted: boolean;
  readonly beginsWithItem: boolean;
}

const seen: SeenRequest[] = [];
/** What the doubles charge for compactions, oldest first. */
const billed: Usage[] = [];
const answered: ModelResponse[] = [];
const OUTPUT_TOKENS = 700;
let blocks = 0;

/** Anthropic's Messages API, as far as its compactions go: signed blocks first and alone, betas, what is passed over. */
function anthropicDouble(body: Item, betas: readonly string[]): Item {
  const messages = listOf(body["messages"]);
  const placed = messages.flatMap(({ content }) => listOf(content));
  const items = placed.filter(({ type }) => type === "compaction");
  const signed = items.filter(({ signature }) => signature !== undefined);
  const edits = listOf(Object(body["context_management"]).edits);
  refuse(signed.length > 0 && placed[0] !== signed[0], "compaction_block_misplaced");
  refuse(signed.length > 0 && items.length > 1, "compaction_block_ambiguous");
  refuse(
    items.some(({ content, signature = proofOf(String(content)) }) => signature !== proofOf(String(content))),
    "compaction_content_mismatch",
  );
  const asksFor = (beta: string, isUsed: boolean) =>
    refuse(isUsed && !betas.includes(beta), `${beta} is not asked for`);
  asksFor("compact-2026-01-12", edits.length > 0 || items.length > signed.length);
  asksFor("compact-2026-09-04", body["compaction"] !== undefined || signed.length > 0);
  refuse(body["compaction"] !== undefined && edits.length > 0, "compaction goes with no context_management");
  const [broken] = formatById("anthropic-messages").check(body);
  refuse(broken !== undefined, JSON.stringify(broken));
  const shown = placed.slice(
    Math.max(
      0,
      placed.findLastIndex((block) => items.includes(block)),
    ),
  );
  const text = `Summary ${++blocks}.`;
  // What a compaction took stands in none of the figures of the answer.
  const read = Math.floor(tokensOf(shown) / 2);
  const took = { type: "compaction", input_tokens: tokensOf(shown) - read, cache_read_input_tokens: read };
  const usage = { input_tokens: 0, output_tokens: 0, iterations: [{ ...took, output_tokens: OUTPUT_TOKENS }] };
  if (body["compaction"] !== undefined) {
    billed.push({ inputTokens: tokensOf(shown), outputTokens: OUTPUT_TOKENS, cacheReadTokens: read });
    const content = [{ type: "compaction", content: text, signature: proofOf(text) }];
    return { stop_reason: "compaction", content, usage };
  }
  const [edit] = edits;
  const threshold = edit === undefined ? Number.POSITIVE_INFINITY : Number(Object(edit["trigger"]).value);
  refuse(threshold < 50_000, "the trigger is too low");
  const isCompacted = tokensOf(shown) > threshold;
  seen.push({ shown: JSON.stringify(shown), isCompacted, beginsWithItem: placed[0]?.["type"] === "compaction" });
  const said = { type: "text", text: "On it." };
  if (!isCompacted) return { content: [said], usage: { input_tokens: tokensOf(shown) } };
  billed.push({ inputTokens: tokensOf(shown), outputTokens: OUTPUT_TOKENS, cacheReadTokens: read });
  return { content: [{ type: "compaction", content: text }, said], usage: { ...usage, input_tokens: 500 } };
}

/** OpenAI's Responses API and its endpoint for compaction: items of its own alone, and what they stand for passed over. */
function openaiDouble(body: Item, path: string): Item {
  const input = listOf(body["input"]);
  const items = input.filter(({ type }) => type === "compaction");
  refuse(
    items.some((item) => item["encrypted_content"] !== proofOf(String(item["id"]))),
    "the item is not one of ours",
  );
  const id = `cmp_${++blocks}`;
  const item = { type: "compaction", id, encrypted_content: proofOf(id) };
  if (path.endsWith("/compact")) {
    refuse(body["context_management"] !== undefined || body["tools"] !== undefined, "unknown parameter");
    const cached = Math.floor(tokensOf(input) / 2);
    billed.push({ inputTokens: tokensOf(input), outputTokens: OUTPUT_TOKENS, cacheReadTokens: cached });
    const usage = {
      ...{ input_tokens: tokensOf(input), input_tokens_details: { cached_tokens: cached } },
      output_tokens: OUTPUT_TOKENS,
    };
    return { output: [...input.filter(({ role }) => role === "user"), item], usage };
  }
  const [broken] = formatById("openai-responses").check(body);
  refuse(broken !== undefined, JSON.stringify(broken));
  const last = input.findLastIndex(({ type }) => type === "compaction");
  const shown = input.filter(({ role }, index) => index >= last || role === "user");
  const [asked] = listOf(body["context_management"]);
  const isCompacted = asked !== undefined && tokensOf(shown) > Number(asked["compact_threshold"]);
  const isItemOrUser = ({ type, role }: Item) => type === "compaction" || role === "user";
  const before = input.slice(0, Math.max(0, last));
  seen.push({ shown: JSON.stringify(shown), isCompacted, beginsWithItem: last >= 0 && before.every(isItemOrUser) });
  const said = { type: "message", role: "assistant", content: [{ type: "output_text", text: "On it." }] };
  return {
    output: [...(isCompacted ? [item] : []), said],
    usage: { input_tokens: isCompacted ? 500 : tokensOf(shown) },
  };
}

/** Any other provider: it knows none of these fields. */
function otherDouble(body: Item, format: string): Item {
  refuse(body["context_management"] !== undefined || body["compaction"] !== undefined, "unknown field");
  refuse(JSON.stringify(body).includes('"compaction"'), "an item of another provider");
  const [broken] = formatById(format).check(body);
  refuse(broken !== undefined, JSON.stringify(broken));
  return {};
}

let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      const body = JSON.parse(text) as Item;
      const path = request.url ?? "";
      const betas = String(request.headers["anthropic-beta"] ?? "").split(",");
      const [, format = ""] = path.split("/");
      try {
        const answer =
          format === "anthropic-messages"
            ? anthropicDouble(body, betas)
            : format === "openai-responses"
              ? openaiDouble(body, path)
              : otherDouble(body, format);
        response.end(JSON.stringify(answer));
      } catch (error) {
        response.statusCode = error instanceof Refused ? 400 : 500;
        response.end(String(error));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** @throws Error with what the provider refused the request for. */
async function post(format: string, path: string, payload: JsonObject, betas: readonly string[]): Promise<Item> {
  const headers = { "anthropic-beta": betas.join(",") };
  const response = await fetch(`${url}/${format}/${path}`, { method: "POST", headers, body: JSON.stringify(payload) });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return JSON.parse(text) as Item;
}

/** The newest answer as an entry: items byte for byte, and what was said. */
function entryOf(format: string, answer: Item, id: string): MessageInput {
  const provider = format === "openai-responses" ? "openai" : "anthropic";
  const parts = listOf(answer["content"] ?? answer["output"]).flatMap((block): readonly Part[] => {
    if (block["type"] === "compaction") return [{ type: "opaque", provider, value: block as JsonObject }];
    if (block["type"] === "text") return [{ type: "text", text: String(block["text"]) }];
    return block["role"] === "assistant" ? [{ type: "text", text: "On it." }] : [];
  });
  return { ...message(id, "assistant", ""), parts, usage: usageOf(answer) };
}

/** The figures of an answer, those of a compaction apart as far as the provider tells them apart. */
function usageOf(answer: Item): Usage {
  const { input_tokens: uncached = 0, output_tokens: outputTokens = 0, ...more } = Object(answer["usage"]);
  const cacheReadTokens = more.input_tokens_details?.cached_tokens ?? more.cache_read_input_tokens;
  const inputTokens = uncached + (more.cache_read_input_tokens ?? 0);
  const [iteration] = listOf(more.iterations);
  return {
    ...{ inputTokens, outputTokens, ...(cacheReadTokens !== undefined && { cacheReadTokens }) },
    ...(iteration !== undefined && { compaction: usageOf({ usage: iteration }) }),
  };
}

const RULE = "Never touch package-lock.json.";
const ROOM = 80_000;
const STEP_TOKENS = 4_000;
const MODELS: Readonly<Record<string, string>> = {
  "anthropic-messages": "claude-opus-5-5",
  "openai-responses": "gpt-5.6-terra",
};
const READ_PRICES: Readonly<Record<string, number>> = { "anthropic-messages": 0.05, "openai-responses": 0.1 };

const opened = (store: ThreadfoldStore, format: string, more: Partial<SessionOptions> = {}) =>
  openSession({
    store,
    format: formatById(format),
    config: { maxInputTokens: ROOM },
    ...(MODELS[format] !== undefined && { model: MODELS[format] }),
    ...more,
  });

async function ask(session: ContextSession, format: string, id: string) {
  const request = await session.prepare();
  expect([request.violations, request.missingPins, request.overBudget]).toEqual([[], [], false]);
  const answer = await post(format, "messages", request.payload, request.betas);
  const response = { messages: [entryOf(format, answer, id)], usage: usageOf(answer) };
  answered.push(response);
  await session.complete(response);
  return request;
}

/** Work of an agent that asks after every step. */
async function run(session: ContextSession, format: string, from: number, to: number) {
  for (let step = from; step < to; step++) {
    await session.append(work(step, step + 1, STEP_TOKENS));
    await ask(session, format, `said${step}`);
  }
}

async function begun(format: string, providerCompaction: ProviderCompactionOption) {
  seen.length = 0;
  billed.length = 0;
  answered.length = 0;
  const store = createMemoryStore();
  const session = await opened(store, format, { providerCompaction });
  await session.append([message("u0", "user", `Build it, all of it. ${RULE}`)]);
  await session.pin(RULE);
  return { store, session };
}

const FORMATS = Object.keys(MODELS);
const IDS = [...new Set(FORMAT_NAMES.map((name) => formatById(name).id))];
/** These hand items on to whoever made them. */
const OF_NO_PROVIDER = ["neutral", "ai-sdk"];

describe("a session with provider compaction", () => {
  it.each(FORMATS)(
    "sends the provider's item in place of the messages it stands for: %s",
    { timeout: patience(60_000) },
    async (format) => {
      const { session } = await begun(format, { when: "threshold", compactAt: 52_000 });
      await run(session, format, 0, 34);
      const compactions = seen.filter(({ isCompacted }) => isCompacted).length;
      expect(compactions).toBeGreaterThan(1);
      expect(seen.filter(({ beginsWithItem }) => beginsWithItem).length).toBeGreaterThan(20);
      for (const { shown } of seen) expect(shown).toContain(RULE);
      // One plan for each item, and none of our own in between: it names the item, and holds our fold of the same.
      expect(session.plan.version).toBe(compactions);
      expect(session.plan.providerItem).toBeDefined();
      expect(session.plan.summarizations.length + session.plan.externalizations.length).toBeGreaterThan(0);
      expect((await session.replay()).every(({ equal }) => equal)).toBe(true);
      // What was counted of another prompt taught nothing of the counter.
      expect(session.calibration[MODELS[format] as string]?.slope ?? 1).toBeGreaterThan(0.8);
    },
  );

  it.each(FORMATS)(
    "loses nothing when it moves to another provider in the middle of a run: %s",
    { timeout: patience(60_000) },
    async (format) => {
      const { session, store } = await begun(format, { when: "threshold", compactAt: 52_000 });
      await run(session, format, 0, 16);
      expect(session.plan.providerItem).toBeDefined();
      const { plan } = session;
      for (const other of IDS.filter((id) => id !== format && !OF_NO_PROVIDER.includes(id))) {
        const moved = await opened(store, other);
        const request = await moved.prepare();
        expect([request.violations, request.missingPins, request.overBudget]).toEqual([[], [], false]);
        expect(request.tokens).toBeLessThanOrEqual(ROOM);
        // Our own fold stands beside the item, so that there is nothing to fold first.
        expect([other, request.plan.planId]).toEqual([other, plan.planId]);
        expect(canonicalJson(request.payload)).toContain(RULE);
        await post(other, "messages", request.payload, request.betas);
      }
      // Nor with a model of the same provider that does not take the item.
      const old = await opened(store, format, {
        model: format === "openai-responses" ? "gpt-4.1" : "claude-sonnet-4-5",
      });
      const request = await old.prepare();
      expect([request.violations, request.missingPins, request.betas]).toEqual([[], [], []]);
      expect(canonicalJson(request.payload)).not.toContain('"type":"compaction"');
      // And back again, in a session of another process.
      const back = await opened(store, format, { providerCompaction: { when: "threshold", compactAt: 52_000 } });
      await back.append([message("u1", "user", "Go on.")]);
      await ask(back, format, "back");
      expect(seen.at(-1)?.beginsWithItem).toBe(true);
    },
  );

  it.each(FORMATS)(
    "compacts on demand, and postpones when messages came meanwhile: %s",
    { timeout: patience(60_000) },
    async (format) => {
      const { session } = await begun(format, { when: "on-demand" });
      await run(session, format, 0, 4);
      const calls: CompactionCall[] = [];
      const send = async (call: CompactionCall) => {
        calls.push(call);
        const path = call.path.replace("v1/", "");
        return entryOf(format, await post(format, path, call.payload, call.betas), `item${calls.length}`);
      };
      const late = await session.compactAtProvider(async (call) => {
        const answer = await send(call);
        await session.append([message("u1", "user", "And the tests.")]);
        return answer;
      });
      expect(late).toMatchObject({ type: "postponed", reason: "messages came while the provider compacted" });
      expect(session.plan.providerItem).toBeUndefined();
      const failed = await session.compactAtProvider(() => Promise.reject(new Error("overloaded")));
      expect(failed).toMatchObject({ type: "failed", cause: new Error("overloaded") });
      const outcome = await session.compactAtProvider(send);
      expect(outcome.type).toBe("committed");
      expect(session.plan.providerItem).toBe("item2");
      await session.append([message("u2", "user", "Go on.")]);
      const request = await ask(session, format, "next");
      expect(request.tokens).toBeLessThan(2_000);
      expect(seen.at(-1)).toMatchObject({ beginsWithItem: true });
      expect(seen.at(-1)?.shown).toContain(RULE);
      // Twice in a run: the newest item alone is sent.
      await run(session, format, 4, 6);
      expect((await session.compactAtProvider(send)).type).toBe("committed");
      await session.append([message("u3", "user", "Go on.")]);
      await ask(session, format, "last");
      expect(seen.at(-1)?.beginsWithItem).toBe(true);
      expect((await session.replay()).every(({ equal }) => equal)).toBe(true);
    },
  );

  it.each(FORMATS)("bills a compaction on demand: %s", { timeout: patience(60_000) }, async (format) => {
    const { session, store } = await begun(format, { when: "on-demand" });
    await run(session, format, 0, 4);
    const send = async (call: CompactionCall) =>
      entryOf(format, await post(format, call.path.replace("v1/", ""), call.payload, call.betas), `item${blocks}`);
    await session.compactAtProvider(send);
    await session.append([message("u2", "user", "Go on.")]);
    await ask(session, format, "next");
    const { summaries, totals, calls } = await session.bill();
    const model = MODELS[format] as string;
    const [took] = billed;
    expect(billed).toHaveLength(1);
    expect(summaries).toEqual([
      {
        ...{ by: "provider", outcome: "committed", planVersion: 1, summarizer: format, model, calls: 1, ...took },
        ...{ sequence: expect.any(Number), dollars: expect.any(Number) },
      },
    ]);
    const { inputPrice = 0, outputPrice = 0 } = modelRow(model) ?? {};
    const cached = took?.cacheReadTokens ?? 0;
    const input = (took?.inputTokens ?? 0) - cached + (READ_PRICES[format] ?? 1) * cached;
    expect(summaries[0]?.dollars).toBeCloseTo((input * inputPrice + OUTPUT_TOKENS * outputPrice) / 1e6, 9);
    const sum = (amounts: readonly { readonly dollars: number | null }[]) =>
      amounts.reduce((all, { dollars }) => all + (dollars ?? Number.NaN), 0);
    expect(totals.summaryDollars).toBeCloseTo(sum(summaries), 9);
    expect(totals.dollars).toBeCloseTo(sum(summaries) + sum(calls), 9);
    // Asking in vain is not free either, and what nobody reported is counted here.
    const none = { ...message("none", "assistant", "No."), usage: { inputTokens: 900, outputTokens: 5 } };
    expect((await session.compactAtProvider(async () => none)).type).toBe("no-op");
    await session.compactAtProvider(async () => message("nobody-knows", "assistant", "No."));
    const records = (await store.journal.read(session.threadId)).map(({ record }) => record);
    expect(records.filter(({ type }) => type === "summaries-asked").slice(1)).toMatchObject([
      { by: "provider", outcome: "no-op", inputTokens: 900, outputTokens: 5 },
      { by: "provider", outcome: "no-op", inputTokens: expect.any(Number), outputTokens: 0, reported: false },
    ]);
  });

  it.each(FORMATS)("bills compactions at a threshold: %s", { timeout: patience(60_000) }, async (format) => {
    const { session } = await begun(format, { when: "threshold", compactAt: 52_000 });
    await run(session, format, 0, 34);
    const { summaries, calls, totals } = await session.bill();
    expect(summaries.length).toBe(seen.filter(({ isCompacted }) => isCompacted).length);
    expect(summaries.every(({ by, dollars }) => by === "provider" && (dollars ?? 0) > 0)).toBe(true);
    const figures = ({ inputTokens, outputTokens, cacheReadTokens }: Usage) => ({
      ...{ inputTokens, outputTokens, cacheReadTokens },
    });
    // OpenAI tells nothing apart: the answer counts the compacted prompt, and what was read before is counted here.
    if (format === "anthropic-messages") expect(summaries.map(figures)).toEqual(billed);
    else
      for (const summary of summaries) {
        expect(summary).toMatchObject({ reported: false, outputTokens: 0 });
        expect(summary.inputTokens).toBeGreaterThan(45_000);
        expect(summary.inputTokens).toBeLessThan(65_000);
      }
    expect(totals.summaryDollars).toBeGreaterThan(0);
    // The answers are billed as what they were reported as, and nothing stands there twice.
    expect(calls.filter(({ inputTokens }) => inputTokens === 500)).toHaveLength(summaries.length);
    // The same answers again cost nothing again.
    for (const response of answered) await session.complete(response);
    expect((await session.bill()).summaries).toEqual(summaries);
    await session.reportUsage({ inputTokens: 600, compaction: { inputTokens: 70_000, outputTokens: 900 } });
    expect((await session.bill()).summaries.at(-1)).toMatchObject({ inputTokens: 70_000, outputTokens: 900 });
  });

  it("folds by itself once the provider no longer compacts, and then shows no earlier item", {
    timeout: patience(60_000),
  }, async () => {
    const format = "anthropic-messages";
    const { session, store } = await begun(format, { when: "threshold", compactAt: 52_000 });
    await run(session, format, 0, 16);
    expect(session.plan.providerItem).toBeDefined();
    const own = await opened(store, format);
    await run(own, format, 16, 32);
    expect(own.plan.providerItem).toBeUndefined();
    expect(seen.at(-1)).toMatchObject({ beginsWithItem: false, isCompacted: false });
    expect(seen.at(-1)?.shown).toContain(RULE);
  });

  it("postpones while a call is open, and refuses options under which no provider compacts", async () => {
    const { session } = await begun("anthropic-messages", { when: "on-demand" });
    const [call] = work(0, 1, 10);
    await session.append([call as MessageInput]);
    const send = async () => entryOf("anthropic-messages", {}, "none");
    expect(await session.compactAtProvider(send)).toMatchObject({ type: "postponed" });
    await session.append([resultOf(0, 10)]);
    expect(await session.compactAtProvider(send)).toMatchObject({ reason: "the provider gave no compaction" });
    session.switchModel({ model: "claude-sonnet-4-5" });
    expect(await session.compactAtProvider(send)).toMatchObject({ type: "no-op" });
    const threshold = { when: "threshold" } as const;
    const refused: readonly Partial<SessionOptions>[] = [
      { providerCompaction: threshold, format: formatById("gemini") },
      { providerCompaction: threshold, compaction: false },
      { providerCompaction: { when: "threshold", compactAt: 0 } },
      { providerCompaction: { when: "now" } as never },
    ];
    for (const options of refused) await expect(openSession(options)).rejects.toThrow("providerCompaction");
    await expect((await openSession()).compactAtProvider(send)).rejects.toThrow("compactAtProvider");
  });
});
