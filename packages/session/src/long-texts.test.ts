import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AppendResult,
  asThreadId,
  type MessageInput,
  type ProviderAwareTokenizer,
  type ThreadfoldStore,
  type ThreadStore,
  TokenLedger,
} from "@threadfold/core";
import { message, result, tool } from "@threadfold/core/laws";
import { createMemoryStore, openStore } from "@threadfold/stores";
import { characterClassTokenizer, heuristicTokenizer, loadTokenizer } from "@threadfold/tokenizers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { SessionOptions } from "./host/session-options.ts";
import { ContextSession } from "./loop/context-session.ts";
import { callOf } from "./testing/agent-work.ts";

/**
 * Where it is slow, each look at it takes a quarter of a millisecond: on a fast machine work would soon be done otherwise,
 * and wait for nothing. Put in its place before the library takes hold of it.
 */
const clock = vi.hoisted(() => {
  const made = { isSlow: false, lookedAtMs: 0 };
  const real = performance.now.bind(performance);
  performance.now = () => real() + (made.isSlow ? (made.lookedAtMs += 0.25) : made.lookedAtMs);
  return made;
});

const threadId = asThreadId("long-texts");
const tiktoken = await loadTokenizer("tiktoken");
const claude = await loadTokenizer("claude");
tiktoken.countTokens("The encoder is made at its first use.");

const SHORT = 60_000;
const LONG = 6 * SHORT;
/** Slow to count and, said by a user, slow to read for rules. */
const slow = (length: number): string =>
  "我们必须先检查资料库。Never touch it!\n".repeat(Math.ceil(length / 33)).slice(0, length);

const resultOf = (text: string): MessageInput => tool("t0", result("call_0", text, { toolName: "bash" }));
const resulting = (text: string): readonly MessageInput[] => [
  message("u0", "user", "Look."),
  callOf(0),
  resultOf(text),
  message("a1", "assistant", "It says a lot."),
];
const pasted = (text: string): readonly MessageInput[] => [
  message("u0", "user", text),
  message("p1", "assistant", "I see."),
];

const open = (options: Partial<SessionOptions> = {}): Promise<ContextSession> =>
  ContextSession.open({ threadId, config: { maxInputTokens: 20_000 }, store: createMemoryStore(), ...options });

/** How often others had their turn while something went on. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let [turns, isRunning] = [0, true];
  const others = (): void => {
    turns++;
    // A timer comes once a turn; what is immediate may come again while the loop waits.
    if (isRunning) setTimeout(others, 0);
  };
  setTimeout(others, 0);
  await work();
  isRunning = false;
  return turns;
}

describe("the event loop", () => {
  it.each<[string, Partial<SessionOptions>, (text: string) => readonly MessageInput[]]>([
    ["a result that an exact counter counts", { tokenizer: tiktoken }, resulting],
    ["what a user pasted, read for rules", {}, pasted],
  ])(
    "runs other tasks while a long text is appended, more often the longer it is: %s",
    async (_, options, messages) => {
      const turnsFor = async (text: string): Promise<number> => {
        const session = await open(options);
        return turnsDuring(() => session.append(messages(text)));
      };
      await turnsFor(slow(SHORT));
      const [short, long] = [await turnsFor(slow(SHORT)), await turnsFor(slow(LONG))];
      expect(long).toBeGreaterThan(Math.max(4, 2 * short));
    },
  );

  it("runs other tasks while a session opens on a long text or refreshes", async () => {
    const store = createMemoryStore();
    const first = await open({ store, tokenizer: tiktoken });
    const reader = await open({ store, tokenizer: tiktoken });
    await first.append(resulting(slow(LONG)));
    expect(await turnsDuring(() => reader.refresh())).toBeGreaterThan(4);
    expect(await turnsDuring(() => open({ store, tokenizer: tiktoken }))).toBeGreaterThan(4);
    expect(reader.thread.digest).toBe(first.thread.digest);
  });

  it("runs other tasks while a long text is folded", async () => {
    const session = await open();
    await session.append([
      ...pasted(slow(3 * LONG)),
      ...resulting(slow(3 * LONG)).slice(1),
      message("u9", "user", "And now?"),
    ]);
    let outcome: unknown;
    const turns = await turnsDuring(async () => {
      outcome = await session.compact({ force: true });
    });
    expect(outcome).toMatchObject({ type: "committed" });
    expect(turns).toBeGreaterThan(4);
  });

  it("is not waited for by a short message, unless the machine is busy with something else", async () => {
    const session = await open({ tokenizer: tiktoken });
    const waited: number[] = [];
    for (let number = 0; number < 50 && !waited.includes(0); number++) {
      let others = 0;
      globalThis.setImmediate(() => others++);
      await session.append([message(`u${number}`, "user", "Go on.")]);
      waited.push(others);
    }
    expect(waited).toContain(0);
  });
});

describe("an append of many messages", () => {
  const many = Array.from({ length: 4_000 }, (_, number) =>
    message(`m${number}`, number % 2 === 0 ? "user" : "assistant", `Step ${number}: never touch file ${number}.`),
  );
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "threadfold-"));
    clock.isSlow = true;
  });
  afterEach(() => {
    clock.isSlow = false;
    rmSync(folder, { recursive: true });
  });
  const stores: readonly [string, () => Promise<ThreadfoldStore>][] = [
    ["memory", async () => createMemoryStore()],
    ["SQLite", () => openStore(join(folder, "store.db"))],
  ];

  it.each(stores)("lets other tasks run, in the session and in the store: %s", async (_, openIt) => {
    const store = await openIt();
    const atStore = store.threads.append.bind(store.threads);
    let turnsInStore = 0;
    const threads: ThreadStore = {
      load: (...given) => store.threads.load(...given),
      list: (...given) => store.threads.list(...given),
      append: async (...given) => {
        let result: AppendResult | undefined;
        turnsInStore = await turnsDuring(async () => {
          result = await atStore(...given);
        });
        return result as AppendResult;
      },
    };
    const session = await open({ store: { ...store, threads } });
    expect(await turnsDuring(() => session.append(many))).toBeGreaterThan(turnsInStore + 4);
    expect(turnsInStore).toBeGreaterThan(0);
    expect((await store.threads.load(threadId))?.digest).toBe(session.thread.digest);
    expect(await turnsDuring(() => session.keepFrame())).toBeGreaterThan(0);
    const again = await open({ store });
    expect(await turnsDuring(() => again.append(many))).toBeGreaterThan(0);
    expect(again.thread.digest).toBe(session.thread.digest);
    await store.close();
  });

  it.each(stores)("stops when it is aborted, and leaves nothing half appended: %s", async (_, openIt) => {
    const store = await openIt();
    const session = await open({ store });
    await session.append(many.slice(0, 2));
    const before = session.thread.digest;
    const abortedAfter = async (turns: number): Promise<void> => {
      const stop = new AbortController();
      const append = session.append(many, { signal: stop.signal });
      let left = turns;
      const next = (): void => void (left-- > 0 ? setTimeout(next, 0) : stop.abort());
      next();
      await expect(append).rejects.toMatchObject({ code: "ABORTED" });
      expect(session.thread.digest).toBe(before);
      expect((await store.threads.load(threadId))?.digest).toBe(before);
    };
    for (const turns of [0, 1, 3]) await abortedAfter(turns);
    await session.append(many);
    expect((await store.threads.load(threadId))?.digest).toBe(session.thread.digest);
    expect(session.thread.length).toBe(many.length);
    await store.close();
  });

  it("stops when it is aborted during SQLite's transaction", async () => {
    const store = await openStore(join(folder, "store.db"));
    const stop = new AbortController();
    const threads: ThreadStore = {
      load: (...given) => store.threads.load(...given),
      list: (...given) => store.threads.list(...given),
      append: (...given) => {
        setTimeout(() => stop.abort(), 0);
        return store.threads.append(...given);
      },
    };
    const session = await open({ store: { ...store, threads } });
    await expect(session.append(many, { signal: stop.signal })).rejects.toMatchObject({ code: "ABORTED" });
    expect(await store.threads.load(threadId)).toBeNull();
    await store.close();
  });
});

describe("counting in steps", () => {
  it.each<[string, ProviderAwareTokenizer]>([
    ["tiktoken", tiktoken],
    ["claude", claude],
    ["heuristic", heuristicTokenizer()],
    ["character classes", characterClassTokenizer()],
    ["one that takes no steps", withoutSteps(tiktoken)],
  ])("gives the same figures as counting at once: %s", async (_, tokenizer) => {
    const session = await open({ tokenizer });
    const text = slow(SHORT);
    await session.append(pasted(text));
    await session.append([callOf(0), { ...resultOf(text), id: message("t0", "tool", "").id }]);
    const atOnce = TokenLedger.empty(tokenizer, () => "anchoring").extend(session.thread);
    expect(session.stats().unfoldedTokens).toBe(atOnce.totalTokens);
    expect(atOnce.totalTokens).toBe(
      [...session.thread.messages].reduce((sum, message) => sum + tokenizer.countMessage(message), 0),
    );
  });

  it("keeps appends in the order of their calls, however long each is", async () => {
    const session = await open({ tokenizer: tiktoken });
    await Promise.all([
      session.append([message("u0", "user", slow(SHORT))]),
      session.append([message("u1", "user", "short")]),
      session.append([message("u2", "user", slow(SHORT))]),
    ]);
    expect([...session.thread.messages].map(({ id }) => id)).toEqual(["u0", "u1", "u2"]);
  });
});

function withoutSteps({ countPartInSteps: _, ...rest }: ProviderAwareTokenizer): ProviderAwareTokenizer {
  return {
    ...rest,
    countTokens: (text) => tiktoken.countTokens(text),
    countPart: (part) => tiktoken.countPart(part),
    messageOverhead: (role) => tiktoken.messageOverhead(role),
    countMessage: (message) => tiktoken.countMessage(message),
    countToolSchemas: (tools) => tiktoken.countToolSchemas(tools),
    countRequest: (request) => tiktoken.countRequest(request),
  };
}
