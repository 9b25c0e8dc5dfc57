import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  asThreadId,
  JOURNAL_START,
  type SummaryCacheStore,
  THREAD_CHAIN_START,
  type ThreadfoldStore,
} from "@threadfold/core";
import { importSession } from "@threadfold/importers";
import { formatById } from "@threadfold/renderer";
import {
  createMemoryStore,
  encryptedStore,
  eraseSubject,
  fileKeyStore,
  memoryKeyStore,
  sealedSummaries,
  verifyStore,
} from "@threadfold/stores";
import { openSqliteStore } from "@threadfold/stores/sqlite";
import { heuristicTokenizer } from "@threadfold/tokenizers";
import { afterAll, expect, it } from "vitest";
import { ContextSession } from "./loop/context-session.ts";
import { replayThread } from "./replay/replay-thread.ts";
import { forkThread } from "./thread/fork-thread.ts";

const folder = mkdtempSync(join(tmpdir(), "threadfold-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const clock = { now: () => 1_700_000_000_000 };

/** A conversation with more tool output than fits, in which one word stands in every message. */
function conversation(): Uint8Array {
  const calls = Array.from({ length: 40 }, (_, index) => [
    {
      role: "assistant",
      content: `Step ${index} of Zanzibar.`,
      tool_calls: [
        {
          id: `call_${index}`,
          type: "function",
          function: { name: "read_file", arguments: `{"path":"src/${index}.ts"}` },
        },
      ],
    },
    { role: "tool", tool_call_id: `call_${index}`, content: `Zanzibar ${index} `.repeat(150) },
  ]);
  const messages = [
    { role: "system", content: "You are a careful engineer of Zanzibar." },
    { role: "user", content: "Never touch Zanzibar's migrations. Look at every file." },
    ...calls.flat(),
    { role: "user", content: "What did you find in Zanzibar?" },
  ];
  return new TextEncoder().encode(JSON.stringify({ messages }));
}

async function foldedDigest(store: ThreadfoldStore): Promise<{ readonly digest: string; readonly threadId: string }> {
  const { threadId, system, tools, messages } = await importSession(conversation());
  const session = await ContextSession.open({
    threadId,
    store,
    config: { maxInputTokens: 8_000 },
    tokenizer: heuristicTokenizer(),
    format: formatById("openai-chat"),
    frame: { system, tools },
    clock,
  });
  await session.append(messages);
  const outcome = await session.compact();
  expect(outcome.type).toBe("committed");
  return { digest: (await session.render(outcome)).digest, threadId };
}

it("R23 P2 a session on an encrypted store sends the same bytes, replays, leaves no plaintext on disk and can be erased", async () => {
  const plain = await openSqliteStore(join(folder, "plain.db"), { clock });
  const expected = await foldedDigest(plain);
  await plain.close();
  const open = async () =>
    encryptedStore(await openSqliteStore(join(folder, "sealed.db"), { clock }), fileKeyStore(join(folder, "keys")));
  const store = await open();
  expect(await foldedDigest(store)).toEqual(expected);
  await store.close();

  const words = (prefix: string): boolean =>
    readdirSync(folder)
      .filter((name) => name.startsWith(prefix) && name.includes(".db"))
      .some((name) => readFileSync(join(folder, name)).includes("Zanzibar"));
  expect([words("plain"), words("sealed")]).toEqual([true, false]);

  const again = await open();
  const { threadId } = expected;
  const replayed = await replayThread(again, threadId as never);
  expect(replayed.map(({ equal, replayedDigest }) => [equal, replayedDigest])).toEqual([[true, expected.digest]]);
  expect(await verifyStore(again)).toEqual([]);
  await eraseSubject(again, threadId, { actor: "test", reason: "test", at: "2026-01-01T00:00:00.000Z" });
  await expect(replayThread(again, threadId as never)).rejects.toMatchObject({ code: "CONTENT_ERASED" });
  expect(await verifyStore(again)).toEqual([]);
  await again.close();
});

it("R23 R25 a sealed store holds no digest that a plain store holds of the same work, so nobody can confirm a guess", async () => {
  const plain = await openSqliteStore(join(folder, "bare digests.db"), { clock });
  const keys = memoryKeyStore();
  const sealed = encryptedStore(await openSqliteStore(join(folder, "keyed digests.db"), { clock }), keys);
  const [{ threadId }] = [await foldedDigest(plain), await foldedDigest(sealed)];
  const prefixesIn = async (store: ThreadfoldStore) =>
    (await store.journal.read(asThreadId(threadId))).flatMap(({ record }) =>
      record.type === "request-rendered" ? (record.cache?.prefixes ?? []) : [],
    );
  const prefixes = await prefixesIn(plain);
  expect(prefixes.length).toBeGreaterThan(1);
  expect(await prefixesIn(sealed)).toEqual(prefixes);
  await plain.close();
  await sealed.close();
  const digestsIn = (name: string): ReadonlySet<string> =>
    new Set(readFileSync(join(folder, name), "latin1").match(/(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g) ?? []);
  const bare = digestsIn("bare digests.db");
  expect(bare.has(prefixes[0]?.digest ?? "")).toBe(true);
  const starts = new Set([JOURNAL_START, THREAD_CHAIN_START]);
  expect([...digestsIn("keyed digests.db")].filter((digest) => bare.has(digest) && !starts.has(digest))).toEqual([]);
});

it("R25 a session whose key folder is missing writes nothing, and continues in full once the folder is back", async () => {
  const keyFolder = join(folder, "mounted keys");
  const path = join(folder, "mounted.db");
  const { threadId, messages } = await importSession(conversation());
  const open = async () =>
    ContextSession.open({
      threadId,
      store: encryptedStore(await openSqliteStore(path, { clock }), fileKeyStore(keyFolder)),
      config: { maxInputTokens: 8_000 },
      clock,
    });
  const session = await open();
  await session.append(messages.slice(0, 30));
  renameSync(keyFolder, `${keyFolder} away`);
  await expect(session.append(messages.slice(30))).rejects.toMatchObject({ code: "KEY_MISSING" });
  await expect(session.prepare()).rejects.toMatchObject({ code: "KEY_MISSING" });
  expect(existsSync(keyFolder)).toBe(false);
  renameSync(`${keyFolder} away`, keyFolder);
  await session.append(messages.slice(30));
  const { digest } = await session.prepare();
  await session.close();
  const again = await open();
  await again.loadHistory();
  expect(again.thread.length).toBe(messages.length);
  expect((await again.render()).digest).toBe(digest);
  expect(await verifyStore(again.store)).toEqual([]);
  await again.close();
});

it("R25 a fold caches its summaries sealed, with no word of the thread in keys or values", async () => {
  const { threadId, messages } = await importSession(conversation());
  const keys = memoryKeyStore();
  const kept = new Map<string, string>();
  const cache: SummaryCacheStore = {
    get: async (name) => kept.get(name) ?? null,
    set: async (name, entry) => void kept.set(name, entry),
  };
  const session = await ContextSession.open({
    threadId,
    store: encryptedStore(createMemoryStore(), keys),
    summaryCache: sealedSummaries(cache, keys),
    summaryModel: {
      id: "noting",
      complete: async () => ({
        text: JSON.stringify({ add: { facts: [{ text: "Zanzibar 1 was read.", sources: [3] }] } }),
        finish: "stop",
        toolCalls: 0,
      }),
    },
    config: { maxInputTokens: 8_000 },
    clock,
  });
  await session.append(messages);
  expect((await session.compact()).type).toMatch(/committed|floor-used/);
  expect(kept.size).toBeGreaterThan(0);
  for (const text of [...kept.keys(), ...kept.values()]) expect(text).not.toMatch(/zanzibar/i);
  await session.close();
});

it("a session opened or forked without the keys of its thread is refused and writes nothing", async () => {
  const path = join(folder, "without keys.db");
  const keys = memoryKeyStore();
  const open = (store: ThreadfoldStore, threadId = "sealed") =>
    ContextSession.open({ threadId: asThreadId(threadId), store, config: { maxInputTokens: 8_000 }, clock });
  const bare = await openSqliteStore(path, { clock });
  const store = encryptedStore(bare, keys);
  const { messages } = await importSession(conversation());
  const session = await open(store);
  await session.append(messages.slice(0, 2));
  const refusal = { code: "KEY_MISSING", details: { threadId: "sealed" } };
  await expect(open(bare)).rejects.toMatchObject(refusal);
  await expect(forkThread(bare, asThreadId("sealed"), { threadId: asThreadId("copy") })).rejects.toMatchObject(refusal);
  await session.append(messages.slice(2));
  expect((await session.compact()).type).toBe("committed");
  await expect(open(bare)).rejects.toMatchObject(refusal);
  await (await open(bare, "clear")).append(messages.slice(0, 1));
  expect((await open(store)).thread.version).toBe(session.thread.version);
  expect(await verifyStore(store)).toEqual([]);
  await store.close();
});
