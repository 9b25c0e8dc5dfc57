import * as core from "@threadfold/core";
import * as importers from "@threadfold/importers";
import * as rehydration from "@threadfold/rehydration";
import * as renderer from "@threadfold/renderer";
import * as session from "@threadfold/session";
import * as stores from "@threadfold/stores";
import * as strategies from "@threadfold/strategies";
import * as summarizers from "@threadfold/summarizers";
import * as tokenizers from "@threadfold/tokenizers";
import { describe, expect, it } from "vitest";
import * as aiSdk from "./ai-sdk.ts";
import * as anthropic from "./anthropic.ts";
import * as conformance from "./conformance.ts";
import * as threadfold from "./index.ts";
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
      replayThread,
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
    expect((await replayThread(store, imported.threadId)).map(({ equal }) => equal)).toEqual([true]);
    expect(await verifyStore(store)).toEqual([]);
  });

  it("leaves out nothing that one of its packages exports: a name that two of them have would vanish", () => {
    const packages = [core, importers, rehydration, renderer, session, stores, strategies, summarizers, tokenizers];
    const missing = packages.flatMap((exported) => Object.keys(exported)).filter((name) => !(name in threadfold));
    expect(missing).toEqual([]);
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
    expect(conformance).toHaveProperty("storeConformance");
  });
});
