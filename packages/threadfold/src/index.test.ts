import { describe, expect, it } from "vitest";
import * as aiSdk from "./ai-sdk.ts";
import * as anthropic from "./anthropic.ts";
import * as threadfold from "./index.ts";
import * as laws from "./laws.ts";
import * as openai from "./openai.ts";
import * as pgBoss from "./pg-boss.ts";
import * as postgres from "./postgres.ts";
import * as redis from "./redis.ts";
import * as s3 from "./s3.ts";

describe("the package that a user installs", () => {
  it("has everything that a fold needs", async () => {
    const {
      ContextSession,
      createMemoryStore,
      formatById,
      heuristicTokenizer,
      importSession,
      threadfoldPreset,
      verifyStore,
    } = threadfold;
    const lines = Array.from({ length: 40 }, (_, index) => [
      { role: "user", content: `Question ${index}: what is in file ${index}?` },
      { role: "assistant", content: `File ${index} holds ${"a long answer ".repeat(60)}` },
    ]);
    const log = JSON.stringify({ messages: [...lines.flat(), { role: "user", content: "And now?" }] });
    const imported = await importSession(new TextEncoder().encode(log));
    const store = createMemoryStore();
    const conversation = await ContextSession.open({
      threadId: imported.threadId,
      store,
      preset: threadfoldPreset,
      config: { maxInputTokens: 4_000 },
      tokenizer: heuristicTokenizer(),
      format: formatById("openai-chat"),
    });
    await conversation.append(imported.messages);
    const request = await conversation.prepare();
    expect(request.outcome?.type).toBe("committed");
    expect(request.tokens).toBeLessThanOrEqual(4_000);
    expect(request.violations).toEqual([]);
    expect((await conversation.replay()).map(({ equal }) => equal)).toEqual([true]);
    expect(await verifyStore(store)).toEqual([]);
  });

  it("is a door that one can read: no name without something behind it, and no more than are listed by hand", () => {
    const names = Object.entries(threadfold);
    expect(names.filter(([, value]) => value === undefined)).toEqual([]);
    expect(names.length).toBeLessThanOrEqual(90);
  });

  it("has one door for who adds a part: the laws of every family, their runner, and what to try them with", () => {
    const families = ["format", "importer", "recall", "store", "strategy", "summarizer", "tokenizer"];
    for (const name of [...families.map((family) => `${family}Laws`), "keepLaws", "brokenLaws", "agentThreads", "user"])
      expect(laws).toHaveProperty(name);
  });

  it("has what needs a package of the user's own behind entries of their own", () => {
    expect(aiSdk).toHaveProperty("aiSdkModel");
    expect(anthropic).toHaveProperty("anthropicModel");
    expect(openai).toHaveProperty("openaiModel");
    expect(openai).toHaveProperty("openaiResponsesModel");
    expect(pgBoss).toHaveProperty("pgBossQueue");
    expect(postgres).toHaveProperty("openPostgresStore");
    expect(redis).toHaveProperty("openRedisSummaryCache");
    expect(s3).toHaveProperty("openS3Artifacts");
  });
});
