import { createHash } from "node:crypto";
import {
  abridgePlan,
  asMessageId,
  asThreadId,
  type CompactionPlan,
  cacheBill,
  compactionConfig,
  isAbridgedPlan,
  type MessageId,
  parseAbridgedPlan,
  planDiff,
  type ThreadId,
  type ThreadRanges,
  tokenBudget,
} from "@threadfold/core";
import { importSession } from "@threadfold/importers";
import { MemoryRecallIndex } from "@threadfold/rehydration";
import { anthropicMessages } from "@threadfold/renderer";
import { ContextSession, replayThread } from "@threadfold/session";
import { createMemoryStore } from "@threadfold/stores";
import { presetByName } from "@threadfold/strategies";
import { heuristicTokenizer } from "@threadfold/tokenizers";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { callBlocks } from "../rows/call-row.ts";
import { grownIndex } from "../rows/index-growth.ts";
import { type Columns, rowAt } from "../rows/table.ts";
import { foldedSession } from "../source/folded-session.ts";
import { storedRecord } from "../source/stored-record.ts";
import type { ThreadRecord } from "../source/thread-record.ts";
import { DAY_BUDGET, foldedDay, inspect, LOOK } from "../testing/inspected-day.ts";
import { Inspection } from "./inspection.ts";

const { store, threadId } = await foldedDay();
const inspection = await inspect(store, threadId, { keepsPayloads: true });
const index = inspection.index();
const rowsOf = <Row extends object>(columns: Columns<Row>): readonly Row[] =>
  Array.from({ length: (Object.values(columns)[0] as readonly unknown[]).length }, (_, place) => rowAt(columns, place));
const calls = rowsOf(index.calls);
const ANSWER = { role: "assistant", content: "Done." };
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

describe("an inspection of the bundled session", () => {
  it("has a call for every recorded request, reproduced to the byte as a replay does it anew", async () => {
    const replayed = await replayThread(store, threadId);
    expect(calls.length).toBeGreaterThan(100);
    expect(calls.map(({ sequence, digest, replay }) => ({ sequence, digest, equal: replay === "equal" }))).toEqual(
      replayed.map(({ sequence, recordedDigest, equal }) => ({ sequence, digest: recordedDigest, equal })),
    );
    expect(index.integrity.replay).toEqual({ equal: calls.length, different: 0, notRendered: 0 });
  });

  it("adds up: shares, blocks and cache are what the journal says that the request took", () => {
    for (const [place, call] of calls.entries()) {
      const { system, tools, pins, kept, cleared, summaries, pointers, rehydrated, overhead } = call;
      const blocks = callBlocks(index, place).map((block) => rowAt(index.blocks, block));
      expect(sum([system, tools, pins, kept, cleared, summaries, pointers, rehydrated, overhead])).toBe(call.tokens);
      expect(sum(blocks.map(({ tokens }) => tokens))).toBe(call.tokens);
      expect(sum(blocks.filter(({ action }) => action === "summarize").map(({ tokens }) => tokens))).toBe(summaries);
      expect(call.cached + call.written + call.fresh).toBe(call.inputTokens);
      expect(call.tokens).toBe(call.recordedTokens);
    }
  });

  it("says of every call how much room it had, by what the session that made it wrote down", async () => {
    const records = (await store.journal.read(threadId)).map(({ record }) => record);
    const rooms = records.flatMap((record) => (record.type === "request-rendered" ? record.limitTokens : []));
    expect(calls.map(({ limit }) => limit)).toEqual(rooms);
    for (const { tokens, limit } of calls) expect(tokens).toBeLessThanOrEqual(limit ?? 0);
  });

  it("keeps nothing of a recording's budget free for what a provider might count, which no one asks", async () => {
    const preset = presetByName("threadfold");
    const { limitTokens } = tokenBudget(compactionConfig({ ...preset.config, maxInputTokens: DAY_BUDGET }));
    expect(new Set(calls.map(({ limit }) => limit))).toEqual(new Set([limitTokens]));
    const imported = await importSession(Buffer.from(JSON.stringify([{ role: "user", content: "Go on." }, ANSWER])));
    const own = { ...preset, config: { ...preset.config, safetyBufferTokens: 7_000 } };
    const format = anthropicMessages;
    const kept = await foldedSession(imported, {
      preset: own,
      budget: 50_000,
      format,
      tokenizer: heuristicTokenizer(),
    });
    expect((await inspect(kept, imported.threadId)).index().calls.limit).toEqual([43_000]);
  });

  it("is billed as the journal is, and adds up to the bill call by call", async () => {
    const { calls: ledger, ...bill } = cacheBill(await store.journal.read(threadId));
    expect(index.bill).toMatchObject(bill);
    expect(ledger.map(({ sequence }) => sequence)).toEqual(calls.map(({ sequence }) => sequence));
    const { totals, misses, folds } = index.bill;
    expect(sum(calls.map(({ cost }) => cost))).toBeCloseTo(totals.bill);
    expect(sum(calls.map(({ cached }) => cached))).toBe(totals.readTokens);
    expect(sum(calls.map(({ written }) => written))).toBe(totals.writtenTokens);
    expect(folds.map(({ planVersion }) => planVersion)).toEqual(index.plans.map(({ version }) => version));
    const byFold = misses.find(({ cause }) => cause === "changed by fold");
    expect(byFold?.misses).toBe(folds.length);
    expect(sum(index.breaks.map(({ missedTokens }) => missedTokens))).toBe(byFold?.tokens);
  });

  it("has the title that the thread was given, without its secrets, where bodies are shown", async () => {
    const titled = createMemoryStore();
    const id = asThreadId("titled");
    const session = await ContextSession.open({ threadId: id, store: titled });
    await session.append([
      { id: asMessageId("m"), role: "user", createdAt: "2026-01-01T00:00:00Z", parts: [{ type: "text", text: "Hi." }] },
    ]);
    await session.prepare();
    expect((await inspect(titled, id)).index().thread.title).toBeNull();
    await session.setTitle("Rotate password=hunter2hunter2");
    const titleOf = async (bodies: "all" | "none") =>
      (await inspect(titled, id, { bodies, redacted: true })).index().thread.title;
    expect(await titleOf("all")).toMatch(/^Rotate password=(?!hunter2)/);
    expect(await titleOf("none")).toBeNull();
  });

  it("shows why a standing instruction was lifted without its secrets, and not where bodies are left out", async () => {
    const lifted = createMemoryStore();
    const id = asThreadId("lifted");
    const session = await ContextSession.open({ threadId: id, store: lifted });
    const text = "Never touch package-lock.json.";
    await session.append([
      { id: asMessageId("m"), role: "user", createdAt: "2026-01-01T00:00:00Z", parts: [{ type: "text", text }] },
    ]);
    await session.prepare();
    for (const pin of session.thread.livePins)
      await session.liftPin(pin.id, "operator", "The new one has password=hunter2hunter2");
    const whyOf = async (bodies: "all" | "none") =>
      (await inspect(lifted, id, { bodies, redacted: true })).index().pins.map(({ liftedWhy }) => liftedWhy);
    expect(await whyOf("all")).toEqual([expect.stringMatching(/^The new one has password=(?!hunter2)/)]);
    expect(await whyOf("none")).toEqual([""]);
  });

  it("has no call of a request that was kept for its frame alone, and the bill's calls at their places", async () => {
    const imported = createMemoryStore();
    const id = asThreadId("imported");
    const session = await ContextSession.open({ threadId: id, store: imported });
    const ask = (text: string) =>
      session.append([
        { id: asMessageId(text), role: "user", createdAt: "2026-01-01T00:00:00Z", parts: [{ type: "text", text }] },
      ]);
    await ask("one");
    await session.keepFrame();
    await session.prepare();
    await ask("two");
    await session.keepFrame();
    await session.prepare();
    const { calls: shown, bill } = (await inspect(imported, id)).index();
    const journal = await imported.journal.read(id);
    expect(journal.filter(({ record }) => record.type === "request-rendered")).toHaveLength(4);
    expect(shown.sequence).toEqual(cacheBill(journal).calls.map(({ sequence }) => sequence));
    expect(shown.messages).toEqual([1, 2]);
    expect(shown.replay).toEqual(["equal", "equal"]);
    expect(shown.inputTokens).toEqual(shown.tokens);
    expect(bill.totals.calls).toBe(2);
  });

  it("is the same where a store keeps what plans hide to itself", async () => {
    const places = new Map<MessageId, { version: number; ordinal: number }>();
    const thread = await store.threads.load(threadId);
    for (const { version, entry } of thread?.entriesInMemory() ?? [])
      if (entry.type === "message") places.set(entry.message.id, { version, ordinal: entry.message.ordinal });
    const outlined: number[] = [];
    const loadPlan = async (_: ThreadId, version: number): Promise<CompactionPlan | null> => {
      const plan = await store.plans.getPlan(threadId, version);
      const text = plan === null ? "" : abridgePlan(plan, (id) => places.get(id));
      if (!isAbridgedPlan(text)) return plan;
      outlined.push(version);
      return parseAbridgedPlan(text);
    };
    const reserved = await inspect({ ...store, ranges: { ...(store.ranges as ThreadRanges), loadPlan } }, threadId, {
      keepsPayloads: true,
    });
    expect(outlined.length).toBeGreaterThan(5);
    expect(reserved.index()).toEqual(index);
  });

  it("says of each plan what planDiff says", async () => {
    for (const { version, added, removed } of index.plans.slice(1)) {
      const [before, after] = [
        await store.plans.getPlan(threadId, version - 1),
        await store.plans.getPlan(threadId, version),
      ];
      if (before === null || after === null) throw new Error(`plan ${version} is gone`);
      const diff = planDiff(before, after);
      const told = (places: readonly number[]) => places.map((place) => index.records[place]?.reason).sort();
      expect(told(added)).toEqual(diff.added.map(({ reason }) => reason).sort());
      expect(told(removed)).toEqual(diff.removed.map(({ reason }) => reason).sort());
    }
  });

  it("places each message where the newest plan has it, and knows which calls showed it", async () => {
    const plan = (await store.plans.getCurrentPlan(threadId)).plan;
    const folded = new Set<MessageId>(plan?.summarizations.flatMap(({ span }) => span.messageIds));
    expect(folded.size).toBeGreaterThan(300);
    for (const { id, state, record } of rowsOf(index.messages)) {
      expect(state).toBe(folded.has(id as MessageId) ? "summarize" : "include");
      expect(index.records[record]?.action ?? "include").toBe(state);
    }
    const first = new Map<number, number>();
    for (const call of calls.keys())
      for (const block of callBlocks(index, call)) {
        const { action, from } = rowAt(index.blocks, block);
        if (action === "include" && !first.has(from)) first.set(from, call);
      }
    expect(index.messages.firstCall).toEqual(index.messages.id.map((_, ordinal) => first.get(ordinal) ?? -1));
  });

  it("names the first byte that a fold changes", async () => {
    expect(index.breaks).toHaveLength(index.plans.length);
    for (const { call, byte, price, lostTokens } of index.breaks) {
      const [before, after] = [await payloadOf(call - 1), await payloadOf(call)].map((text) => Buffer.from(text));
      if (before === undefined || after === undefined || byte === null) throw new Error("a payload is gone");
      expect(before.subarray(0, byte).equals(after.subarray(0, byte))).toBe(true);
      expect(before[byte]).not.toBe(after[byte]);
      expect(price).toBeGreaterThan(0);
      expect(lostTokens).toBeLessThanOrEqual(calls[call - 1]?.tokens ?? 0);
    }
  });

  it("says why with the numbers of messages, as every list names them", () => {
    const named = index.breaks.flatMap(({ reason }) =>
      [...reason.matchAll(/(?:user|assistant|tool) message (\S+)/g)].map(([, name]) => name),
    );
    expect(named.length).toBeGreaterThan(0);
    for (const name of named) expect(index.messages.id[Number(name?.slice(1))], name).toBeDefined();
  });

  it("holds every payload as a difference, so that its digest is the recorded one", async () => {
    for (const place of [0, 1, 19, 20, 52, calls.length - 1])
      expect(
        createHash("sha256")
          .update(await payloadOf(place))
          .digest("hex"),
      ).toBe(calls[place]?.digest);
  });

  it("says of what is gone which calls needed it, and where search finds it", async () => {
    const gone = await inspection.gone();
    const needed = gone.filter(({ neededBy }) => neededBy.length > 0);
    expect(gone.map(({ message }) => message).sort((a, b) => a - b)).toEqual(
      index.messages.state.flatMap((state, place) => (state === "summarize" ? [place] : [])),
    );
    expect(needed.length).toBeGreaterThan(0);
    for (const { message, neededBy, needed: names } of needed) {
      for (const call of neededBy) expect(calls[call]?.messages).toBeGreaterThan(message);
      expect(names.length).toBeGreaterThan(0);
    }
  });

  it("asks search for a message when somebody asks for it, once, and says then what a file says", async () => {
    const looked = await inspect(store, threadId);
    const search = vi.spyOn(MemoryRecallIndex.prototype, "search");
    const gone = await looked.gone();
    expect(search).not.toHaveBeenCalled();
    const [largest, other] = gone.map(({ message }) => message);
    if (largest === undefined || other === undefined) throw new Error("nothing is gone");
    const first = await looked.goneSearch(largest);
    expect(await looked.goneSearch(largest)).toEqual(first);
    expect(search).toHaveBeenCalledTimes(1);
    expect(await looked.goneSearch(other)).toMatchObject({ message: other });
    expect(search).toHaveBeenCalledTimes(2);
    search.mockRestore();
    const kept = index.messages.state.indexOf("include");
    expect(await looked.goneSearch(kept)).toBeNull();
    const inFile = await inspection.goneSearches();
    expect(inFile).toHaveLength(gone.length);
    for (const each of inFile) expect(await looked.goneSearch(each.message)).toEqual(each);
    expect(inFile).toContainEqual(first);
    const needed = gone.filter(({ neededBy }) => neededBy.length > 0).map(({ message }) => message);
    expect(inFile.slice(0, needed.length).map(({ message }) => message)).toEqual(needed);
    const asked = inFile.filter((each) => each.asked);
    expect(asked.filter(({ rank }) => rank !== null).length / asked.length).toBeGreaterThan(0.5);
  });

  it("reads every plan once, however many calls were made under it", async () => {
    const record = await storedRecord(store, threadId);
    const read = vi.spyOn(record, "plan");
    await Inspection.open(record, LOOK);
    expect(read.mock.calls.flat()).toEqual(index.plans.map(({ version }) => version));
  });

  it("grows to what it is when it is read at once, by what is new, however much of it comes at a time", async () => {
    const whole = await storedRecord(store, threadId);
    const fresh = index;
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 1, max: whole.journal.length }), { maxLength: 6 }),
        async (ends) => {
          const record = growing(whole, [...ends.sort((a, b) => a - b), whole.journal.length]);
          const live = await Inspection.open(record, LOOK);
          // As a page has it: what came over the wire.
          let shown = overTheWire(live.index());
          while (await live.refresh()) {
            const growth = live.growth(shown.revision);
            if (growth === null) throw new Error("the growth is not known");
            shown = grownIndex(shown, overTheWire(growth));
          }
          shown = { ...shown, bill: live.bill() };
          const alike = { revision: 0, integrity: { ...fresh.integrity, artifacts: shown.integrity.artifacts } };
          expect({ ...shown, ...alike, bill: { ...shown.bill, revision: 0 } }).toEqual(
            overTheWire({ ...fresh, ...alike, bill: { ...fresh.bill, revision: 0 }, chunks: shown.chunks }),
          );
          expect(shown.chunks).toEqual((await inspect(store, threadId)).index().chunks);
        },
      ),
      { numRuns: 4 },
    );
  });

  it("has between two folds no more rows new or changed than what came, however long the thread is", async () => {
    const whole = await storedRecord(store, threadId);
    const ends = whole.journal.flatMap(({ record }, at) => (record.type === "request-rendered" ? [at + 1] : []));
    const live = await Inspection.open(growing(whole, ends), LOOK);
    let [seen, compared] = [live.index(), 0];
    while (await live.refresh()) {
      const growth = live.growth(seen.revision);
      if (growth === null) throw new Error("the growth is not known");
      const { messages, places, requests, costs, blocks, breaks, frames, plans, records } = growth;
      const tables = [messages, places, requests, costs, blocks, breaks, frames, plans, records];
      const added = growth.thread.messages - seen.thread.messages;
      if (growth.thread.planVersion === seen.thread.planVersion) {
        // The messages, their places, and their blocks in the request; the call, its cost and its plan.
        expect(sum(tables.map((table) => table.places.length))).toBeLessThanOrEqual(3 * added + 4);
        compared++;
      }
      seen = live.index();
    }
    expect(compared).toBeGreaterThan(80);
  });

  it("renders one payload when it is asked for one", async () => {
    const asked = await inspect(store, threadId);
    expect(asked.index().chunks.payloads).toHaveLength(calls.length);
    expect(await asked.chunk("payloads", 52)).toEqual([{ start: 0, end: 0, insert: await payloadOf(52) }]);
    expect(await asked.chunk("payloads", calls.length)).toEqual([]);
  });
});

/** A thread's record as somebody sees it who looks while it is written: its journal ends at one place after the other. */
function growing(whole: ThreadRecord, ends: readonly number[]): ThreadRecord {
  let at = 0;
  const journal = () => whole.journal.slice(0, ends[at]);
  const last = (type: "threadVersion" | "planVersion"): number =>
    journal().reduce(
      (newest, { record }) => (type in record ? ((record as Record<typeof type, number>)[type] ?? newest) : newest),
      0,
    );
  return {
    get thread() {
      return at === ends.length - 1 ? whole.thread : whole.thread.atVersion(last("threadVersion"));
    },
    get journal() {
      return journal();
    },
    get planVersion() {
      return last("planVersion");
    },
    ...{ erased: null, title: null, artifacts: whole.artifacts, findings: whole.findings },
    plan: (version) => whole.plan(version),
    content: (id) => whole.content(id),
    refresh: async () => ++at < ends.length,
  };
}

const overTheWire = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

async function payloadOf(call: number): Promise<string> {
  const { payloads } = index.chunks;
  const chunk = payloads.findLastIndex((start) => start <= call);
  const differences = (await inspection.chunk("payloads", chunk)).slice(0, call - (payloads[chunk] ?? 0) + 1);
  return differences.reduce(
    (text, difference) =>
      difference === null
        ? ""
        : text.slice(0, difference.start) + difference.insert + text.slice(text.length - difference.end),
    "",
  );
}
