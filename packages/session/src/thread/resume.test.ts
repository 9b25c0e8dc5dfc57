import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import {
  type AgentThread,
  asMessageId,
  asThreadId,
  canonicalJson,
  type ErrorCode,
  emptyPlan,
  type Message,
  type MessageInput,
  planRecords,
  type ResumedThread,
  spanStart,
  type ThreadfoldStore,
  type ThreadRanges,
  viewThread,
} from "@threadfold/core";
import { countingTokenizer, patience, runs } from "@threadfold/core/laws";
import { importSessionFile } from "@threadfold/importers";
import { FORMATS, formatById, type Rendering, renderRequest } from "@threadfold/renderer";
import { renderInputs } from "@threadfold/renderer/laws";
import { openSqliteStore } from "@threadfold/stores/sqlite";
import { presetByName } from "@threadfold/strategies";
import { characterClassTokenizer } from "@threadfold/tokenizers";
import { threadState } from "@threadfold/turn";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { PreparedRequest } from "../host/prepared-request.ts";
import type { SessionOptions } from "../host/session-options.ts";
import { ContextSession } from "../loop/context-session.ts";

let folder: string;
let stores: ThreadfoldStore[];
beforeEach(() => {
  folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "threadfold-resume-"));
  stores = [];
});
afterEach(async () => {
  for (const store of stores) await store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function openFile(name: string): Promise<ThreadfoldStore> {
  const store = await openSqliteStore(join(folder, `${name}.db`));
  stores.push(store);
  return store;
}

/** The same store without a way to read parts of threads: whoever opens a thread loads all of it. */
const loadingWhole = ({ ranges: _ranges, ...store }: ThreadfoldStore): ThreadfoldStore => store;

const clock = { now: () => Date.UTC(2026, 0, 1) };
const THREAD = asThreadId("resumed");

const open = (store: ThreadfoldStore, more: Partial<SessionOptions> = {}): Promise<ContextSession> =>
  ContextSession.open({
    threadId: THREAD,
    store,
    config: { maxInputTokens: 5_000 },
    frame: { system: ["You are careful."], tools: [] },
    clock,
    ...more,
  });

/** A question and what the agent does for it: so many files that it reads. */
function work(turn: number, files: number): readonly MessageInput[] {
  const createdAt = new Date(clock.now()).toISOString();
  const question = `Never delete file_${turn}.ts. What does module ${turn} do?`;
  const messages: MessageInput[] = [
    { id: asMessageId(`u${turn}`), role: "user", createdAt, parts: [{ type: "text", text: question }] },
  ];
  for (let file = 0; file < files; file++) {
    const callId = `call_${turn}_${file}` as never;
    const path = `src/module_${turn}/file_${file}.ts`;
    const call = { type: "tool-call", callId, toolName: "read", input: { path } } as const;
    const content = { type: "text", text: `export const value_${turn}_${file} = ${file};\n`.repeat(20) } as const;
    const result = { toolName: "read", callId, outcome: "success", content } as const;
    messages.push({ id: asMessageId(`a${turn}_${file}`), role: "assistant", createdAt, parts: [call] });
    messages.push({
      id: asMessageId(`t${turn}_${file}`),
      role: "tool",
      createdAt,
      parts: [{ type: "tool-result", result }],
    });
  }
  return messages;
}

/** A session that folded, with some turns behind the fold, closed again. */
async function folded(store: ThreadfoldStore): Promise<PreparedRequest> {
  const session = await open(store);
  for (let turn = 0; turn < 4; turn++) await session.append(work(turn, 8));
  await session.prepare();
  await session.append(work(4, 2));
  const newest = await session.prepare();
  expect(session.plan.version).toBeGreaterThan(0);
  return newest;
}

const codeOf = (work: () => unknown): ErrorCode | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as { code?: ErrorCode }).code;
  }
};

/** A rendering; null when it needs what was left in the store. */
function renderedOrNotLoaded(...input: Parameters<typeof renderRequest>): Rendering | null {
  try {
    return renderRequest(...input);
  } catch (error) {
    if ((error as { code?: ErrorCode }).code !== "HISTORY_NOT_LOADED") throw error;
    return null;
  }
}

/** True when a span begins with a message that no prompt shows: where its first shown one stands is not in memory. */
const startsOnSideBranch = ({ thread, plan }: ResumedThread): boolean =>
  planRecords(plan).some(({ span }) => thread.message(spanStart(span))?.branch !== undefined);

describe("P9 a thread and a plan that are loaded in part", () => {
  it("render the same request as the whole ones, byte for byte, in every format", async () => {
    let parts = 0;
    const inputs = renderInputs.filter(({ plan }) => plan.version === 1);
    const property = fc.asyncProperty(inputs, fc.nat(1_000_000), async (input, name) => {
      const store = await openFile(`${name}-${parts}-${stores.length}`);
      await store.threads.append(input.thread.id, input.thread.entriesBetween(0), { expectedVersion: "no-thread" });
      await store.plans.commitPlan(input.thread.id, input.plan, 0);
      const resumed = await store.ranges?.resume(input.thread.id);
      await store.close();
      if (resumed === undefined || resumed === null || resumed.thread.isWhole) return;
      parts++;
      const { thread, plan } = resumed;
      const { ledger } = threadState(thread, countingTokenizer(), () => "anchoring", plan);
      expect(thread.digest).toBe(input.thread.digest);
      for (const format of FORMATS) {
        const whole = renderRequest(input, format);
        const part = renderedOrNotLoaded({ ...input, thread, plan, ledger }, format);
        if (part === null) {
          expect(startsOnSideBranch({ thread, plan })).toBe(true);
          continue;
        }
        const lowered = [whole, part].map(({ request }) => canonicalJson(format.lower(request).payload));
        expect(lowered[1]).toBe(lowered[0]);
        expect(part.tokens).toBe(whole.tokens);
        expect(part.missingPins).toEqual(whole.missingPins);
        expect(part.manifest.firstEdited).toBe(whole.manifest.firstEdited);
        expect(part.manifest.prefixDigests).toEqual(whole.manifest.prefixDigests);
      }
    });
    const tried = runs(120);
    await fc.assert(property, tried);
    // A few tries may have no thread that comes back in part.
    if (tried.numRuns >= 120) expect(parts).toBeGreaterThan(3);
  }, 60_000);

  it("are refused together with a plan that shows more than was loaded", async () => {
    const store = await openFile("other-plan");
    await folded(store);
    const resumed = await store.ranges?.resume(THREAD);
    expect(resumed?.thread.isWhole).toBe(false);
    const { thread, plan } = resumed as NonNullable<typeof resumed>;
    expect(viewThread(thread, plan).length).toBeGreaterThan(0);
    expect(viewThread(thread, (await store.plans.getPlan(THREAD, plan.version)) as never)).toHaveLength(
      viewThread(thread, plan).length,
    );
    expect(codeOf(() => viewThread(thread, emptyPlan(THREAD, "test")))).toBe("HISTORY_NOT_LOADED");
  });
});

describe("P9 a session that is opened again", () => {
  it("makes its next request without loading the thread, with the bytes that the whole thread gives", async () => {
    const store = await openFile("next");
    const before = await folded(store);
    const load = vi.spyOn(store.threads, "load");
    const getPlan = vi.spyOn(store.plans, "getPlan");
    const resumed = await open(store);
    const prepared = await resumed.prepare();
    expect(prepared.payloadText).toBe(before.payloadText);
    expect(prepared.digest).toBe(before.digest);
    expect(resumed.thread.isWhole).toBe(false);
    expect(load).not.toHaveBeenCalled();
    expect(getPlan).not.toHaveBeenCalled();

    const whole = await open(loadingWhole(store));
    expect(whole.thread.isWhole).toBe(true);
    expect(prepared.payloadText).toBe((await whole.prepare()).payloadText);
    expect(resumed.stats()).toEqual(whole.stats());
    expect(resumed.thread.livePins).toEqual(whole.thread.livePins);
    expect(resumed.plan.planId).toBe(whole.plan.planId);
  });

  it("hands out plain data that can be logged, copied and sent", async () => {
    const store = await openFile("plain");
    const before = await folded(store);
    const session = await open(store);
    const prepared = await session.prepare();
    expect(session.thread.isWhole).toBe(false);
    const logged = JSON.parse(JSON.stringify(prepared));
    expect([logged.payload, logged.digest, logged.tokens]).toEqual([before.payload, before.digest, before.tokens]);
    expect(logged.plan.planId).toBe(before.plan.planId);
    expect(logged.plan.summarizations).toHaveLength(before.plan.summarizations.length);
    for (const value of [session.plan, prepared, session.thread.livePins, session.stats(), await session.dryRun()])
      expect(JSON.stringify(structuredClone(value))).toBe(JSON.stringify(value));
  });

  it("continues as if it had never been closed: appends, folds, digests, journal and replay", async () => {
    const [kept, again] = [await openFile("kept"), await openFile("again")];
    const session = await open(kept);
    let partial = 0;
    for (let turn = 0; turn < 14; turn++) {
      const other = await open(again);
      if (!other.thread.isWhole) partial++;
      for (const one of [session, other]) await one.append(work(turn, 6));
      const [a, b] = [await session.prepare(), await other.prepare()];
      expect(b.payloadText).toBe(a.payloadText);
      expect(b.outcome?.type).toBe(a.outcome?.type);
      expect(other.thread.digest).toBe(session.thread.digest);
      expect(other.plan.planId).toBe(session.plan.planId);
    }
    expect(session.plan.version).toBeGreaterThan(2);
    expect(partial).toBeGreaterThan(5);
    const replayed = await (await open(again)).replay();
    expect(replayed).toHaveLength(14);
    expect(replayed.filter(({ equal }) => !equal)).toEqual([]);
  });

  it("recognizes a folded message that is appended again", async () => {
    const store = await openFile("duplicates");
    await folded(store);
    const session = await open(store);
    const { version } = session.thread;
    await session.append(work(0, 8));
    expect(session.thread.version).toBe(version);
    await session.append([...work(1, 8), ...work(9, 1)]);
    expect(session.thread.version).toBe(version + 4);
    expect(session.thread.isWhole).toBe(false);
    const changed = { ...(work(0, 1)[0] as MessageInput), parts: [{ type: "text", text: "Something else." }] } as const;
    await expect(session.append([changed])).rejects.toMatchObject({ code: "DUPLICATE_MESSAGE_ID" });
    const stored = await store.threads.load(THREAD);
    expect(session.thread.digest).toBe(stored?.digest);
    const plain = await open(loadingWhole(store));
    expect((await session.prepare()).payloadText).toBe((await plain.prepare()).payloadText);
  });

  it("explains, searches and reads what it left in the store", async () => {
    const store = await openFile("asked");
    await folded(store);
    const [session, whole] = [await open(store), await open(loadingWhole(store))];
    const load = vi.spyOn(store.threads, "load");
    for (const id of ["u0", "t1_3", "a4_1", "u4"].map(asMessageId))
      expect(await session.explain(id)).toEqual(await whole.explain(id));
    await expect(session.explain(asMessageId("nobody"))).rejects.toMatchObject({ code: "MESSAGE_NOT_FOUND" });
    const asked = { text: "value_1_3" };
    const found = await session.search(asked);
    expect(found.hits.map(({ messageId }) => messageId)).toContain("t1_3");
    expect(found).toEqual(await whole.search(asked));
    expect(load).not.toHaveBeenCalled();
    expect(session.thread.isWhole).toBe(false);

    expect(codeOf(() => [...session.thread.messages])).toBe("HISTORY_NOT_LOADED");
    const [, search] = session.tools();
    expect((await search.execute({ message_id: "t0_0" })).text).toContain("value_0_0");
    expect(session.thread.isWhole).toBe(true);
    expect([...session.thread.messages].map(({ id }: Message) => id)).toEqual(
      [...whole.thread.messages].map(({ id }) => id),
    );
    expect(canonicalJson(session.plan)).toBe(canonicalJson(whole.plan));
    expect(await session.quality()).toEqual(await whole.quality());
  });

  it("folds, reverts, previews and hands off like a session on the whole thread", async () => {
    const store = await openFile("folding");
    await folded(store);
    const preview = async (from: ThreadfoldStore) => {
      const { plan, outcome, hidden } = await (await open(from)).dryRun({ force: true });
      return { records: plan.planId, outcome: outcome.type, hidden };
    };
    expect(await preview(store)).toEqual(await preview(loadingWhole(store)));
    const goal = { goal: "Say what module 1 does.", clock };
    const handed = await (await open(store)).handoff({ ...goal, threadId: asThreadId("handed-1") });
    const wholly = await (await open(loadingWhole(store))).handoff({ ...goal, threadId: asThreadId("handed-2") });
    expect(handed.briefing).toBe(wholly.briefing);
    const session = await open(store);
    expect((await session.compact({ force: true })).type).toBe("committed");
    expect((await open(store)).plan.version).toBe(session.plan.version);
    const other = await open(store);
    expect((await other.revert(1)).type).toBe("committed");
    expect((await other.render()).payloadText).toBe((await (await open(loadingWhole(store))).render()).payloadText);
  });

  it("refreshes to what another session appended and committed, without loading the whole thread", async () => {
    const store = await openFile("two");
    await folded(store);
    const [session, other] = [await open(store), await open(store)];
    await other.append(work(5, 3));
    await other.compact({ force: true });
    await session.refresh();
    expect(session.plan.version).toBe(other.plan.version);
    expect(session.thread.isWhole).toBe(false);
    expect((await session.render()).payloadText).toBe((await other.render()).payloadText);
    await session.append(work(6, 1));
    expect((await store.threads.load(THREAD))?.digest).toBe(session.thread.digest);
  });
});

/** What a store handed out of a thread's log: single entries, and whole threads. */
interface Reading {
  entries: number;
  threads: number;
}

/** The same store, noting what is read of logs. */
function counting({ ranges, ...store }: ThreadfoldStore): { readonly store: ThreadfoldStore; readonly read: Reading } {
  const read: Reading = { entries: 0, threads: 0 };
  const note = <Found extends readonly unknown[]>(found: Found): Found => {
    read.entries += found.length;
    return found;
  };
  const threads: ThreadfoldStore["threads"] = {
    append: (...asked) => store.threads.append(...asked),
    list: (...asked) => store.threads.list(...asked),
    load: (...asked) => {
      read.threads++;
      return store.threads.load(...asked);
    },
  };
  if (ranges === undefined) return { store: { ...store, threads }, read };
  const noted: ThreadRanges = {
    resume: (id) => ranges.resume(id),
    loadPlan: (...asked) => ranges.loadPlan(...asked),
    loadRange: async (...asked) => note(await ranges.loadRange(...asked)),
    findMessages: async (...asked) => note(await ranges.findMessages(...asked)),
  };
  return { store: { ...store, threads, ranges: noted }, read };
}

/** The next thing that happens to a long thread: work of an agent, with or without a new question. */
interface Happening {
  readonly files: number;
  readonly asks: boolean;
  /** The result of an old call comes once more. */
  readonly isLate: boolean;
  readonly isReported: boolean;
}

const happenings: fc.Arbitrary<Happening> = fc.record({
  files: fc.integer({ min: 8, max: 20 }),
  asks: fc.boolean(),
  isLate: fc.integer({ min: 1, max: 24 }).map((one) => one === 24),
  isReported: fc.boolean(),
});

const messagesOf = ({ files, asks, isLate }: Happening, turn: number): readonly MessageInput[] => {
  const [question, ...rest] = work(turn, files);
  const late = { ...(work(0, 40)[60] as MessageInput), id: asMessageId(`late${turn}`) };
  return [...(asks ? [question as MessageInput] : []), ...rest, ...(isLate ? [late] : [])];
};

/** Opens a session on a long thread that was folded once and continued, and returns what was read at the next fold. */
async function readAtFirstFold(name: string, files: number): Promise<Reading> {
  const plain = await openFile(name);
  const before = await open(plain);
  await before.append(work(0, files));
  await before.prepare();
  const { store, read } = counting(plain);
  const session = await open(store);
  const { version } = session.plan;
  for (let turn = 1; session.plan.version === version; turn++) {
    await session.append(work(turn, 4));
    Object.assign(read, { entries: 0, threads: 0 });
    await session.prepare();
  }
  return read;
}

describe("P9 the first fold of a session that was opened again", () => {
  it(
    "makes the plan that a session makes which went on, whatever was measured and whatever comes late",
    async () => {
      const names = ["threadfold", "ladder", "claude-code"];
      for (const name of names) {
        const session = await open(await openFile(name), { preset: presetByName(name) });
        await session.append(work(0, 300));
        await session.prepare();
        await session.close();
      }
      let [parts, tried] = [0, 0];
      const turns = fc.array(happenings, { minLength: 4, maxLength: 7 });
      const lengths = fc.constantFrom(2.4, 3.1, 4.2);
      const property = fc.asyncProperty(turns, lengths, fc.constantFrom(...names), async (turns, perToken, name) => {
        const copies = [`on-${++tried}`, `again-${tried}`] as const;
        for (const copy of copies) copyFileSync(join(folder, `${name}.db`), join(folder, `${copy}.db`));
        const [kept, again] = [await openFile(copies[0]), await openFile(copies[1])];
        const preset = presetByName(name);
        const session = await open(loadingWhole(kept), { preset });
        for (const [index, turn] of turns.entries()) {
          const other = await open(again, { preset });
          for (const one of [session, other]) await one.append(messagesOf(turn, index + 1));
          const [a, b] = [await session.prepare(), await other.prepare()];
          expect(b.payloadText).toBe(a.payloadText);
          expect([other.plan.planId, b.outcome?.type]).toEqual([session.plan.planId, a.outcome?.type]);
          if (b.outcome?.type === "committed" && !other.thread.isWhole) parts++;
          const inputTokens = Math.round(a.payloadText.length / perToken);
          if (turn.isReported) for (const one of [session, other]) await one.reportUsage({ inputTokens });
        }
        for (const store of [kept, again]) await store.close();
      });
      const asked = runs(12);
      await fc.assert(property, asked);
      if (asked.numRuns >= 12) expect(parts).toBeGreaterThan(6);
    },
    patience(60_000),
  );

  it("reads no more entries behind a long history than behind a short one", async () => {
    const [short, long] = [await readAtFirstFold("short", 600), await readAtFirstFold("long", 3_000)];
    expect([short.threads, long.threads]).toEqual([0, 0]);
    // What the summaries name as sources varies a little.
    expect(Math.abs(long.entries - short.entries)).toBeLessThan(32);
    expect(short.entries).toBeLessThan(600);
  }, 60_000);

  it("reads everything for a counter that did not count what the plan hides, for hooks and for listeners", async () => {
    const tokenizer = { ...characterClassTokenizer(), id: "another" };
    const look = { name: "look", run: ({ thread }: { readonly thread: AgentThread }) => void [...thread.messages] };
    const kinds: readonly Partial<SessionOptions>[] = [
      { tokenizer },
      { hooks: { preCompact: [look] } },
      { onEvent: () => undefined },
    ];
    for (const [index, more] of kinds.entries()) {
      const plain = await openFile(`kind-${index}`);
      const before = await open(plain);
      await before.append(work(0, 300));
      await before.prepare();
      const { store, read } = counting(plain);
      const session = await open(store, more);
      await session.append(work(1, 20));
      expect(await session.compact({ force: true })).toMatchObject({ type: "committed" });
      expect(read.threads).toBe(1);
      expect(session.thread.isWhole).toBe(true);
    }
  });
});

const data = process.env["THREADFOLD_DATA"] ?? join(import.meta.dirname, "../../../../../shared/data");
const recorded = resolve(data, "pi/large-session.jsonl.gz");

describe.skipIf(!existsSync(recorded))("P9 a recorded session (needs THREADFOLD_DATA)", () => {
  it("resumes at each of its folds to the request of the whole thread, in every format", async () => {
    const { threadId, messages, system, tools } = await importSessionFile(recorded);
    const store = await openFile("recorded");
    const options = { threadId, frame: { system, tools }, config: { maxInputTokens: 24_000 } };
    const session = await open(store, options);
    let folds = 0;
    let resumed = 0;
    for (let from = 0; from < Math.min(messages.length, 480); from += 24) {
      await session.append(messages.slice(from, from + 24));
      await session.prepare();
      if (session.plan.version === folds && from % 96 !== 0) continue;
      folds = session.plan.version;
      for (const format of FORMATS.map(({ id }) => formatById(id))) {
        const [part, whole] = [
          await open(store, { ...options, format }),
          await open(loadingWhole(store), { ...options, format }),
        ];
        const [a, b] = [await part.render(), await whole.render()];
        expect(a.payloadText).toBe(b.payloadText);
        expect([a.tokens, a.violations, a.missingPins]).toEqual([b.tokens, b.violations, b.missingPins]);
        expect(a.warnings.map(({ kind }) => kind)).toEqual(b.warnings.map(({ kind }) => kind));
        expect(part.thread.digest).toBe(whole.thread.digest);
        if (!part.thread.isWhole) resumed++;
      }
    }
    expect(folds).toBeGreaterThan(2);
    expect(resumed).toBeGreaterThan(6);
  });
});
