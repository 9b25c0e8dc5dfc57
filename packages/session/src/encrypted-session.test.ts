import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ThreadfoldStore } from "@threadfold/core";
import { importSession } from "@threadfold/importers";
import { formatById } from "@threadfold/renderer";
import { encryptedStore, eraseSubject, fileKeyStore, openSqliteStore, verifyStore } from "@threadfold/stores";
import { heuristicTokenizer } from "@threadfold/tokenizers";
import { afterAll, expect, it } from "vitest";
import { ContextSession } from "./context-session.ts";
import { replayThread } from "./journal/replay-thread.ts";

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

it("R23 P2 a session over an encrypted store gives the same bytes, replays, leaves no word on the disk, and can be forgotten", async () => {
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
