import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { captureRun } from "../testing/captured-io.ts";
import { LONG, openAiSession } from "../testing/recorded-sessions.ts";
import { compact, json, Workbench } from "../testing/workbench.ts";

const bench = new Workbench();

describe("an interrupt of an import", () => {
  it("is heard while it runs, and leaves all of the session in the store or nothing", async () => {
    const messages = Array.from({ length: 3_000 }, (_, number) => ({
      role: number % 2 === 0 ? "user" : "assistant",
      content: `Step ${number} of the work.`,
    }));
    const path = bench.file("many.json", JSON.stringify({ messages }));
    const importedUntil = async (turns: number) => {
      const interrupt = new AbortController();
      let left = turns;
      const next = (): void => {
        if (left-- <= 0) interrupt.abort();
        else setTimeout(next, 0);
      };
      next();
      return json(["import", path, "--store", bench.store], { signal: interrupt.signal });
    };
    const codes: number[] = [];
    for (let turns = 1; codes.at(-1) !== 0; turns *= 2) {
      const { code, envelope } = await importedUntil(turns);
      codes.push(code);
      if (code === 0) expect(envelope.data).toMatchObject({ appended: messages.length });
      else {
        expect(code).toBe(130);
        expect(await storedVersions()).toEqual([]);
      }
    }
    expect(codes.length).toBeGreaterThan(2);
    expect(await storedVersions()).toEqual([messages.length]);
  });

  async function storedVersions(): Promise<readonly number[]> {
    if (!existsSync(bench.store)) return [];
    const { envelope } = await json(["threads", "--store", bench.store]);
    return (envelope.data as { threads: readonly { version: number }[] }).threads.map(({ version }) => version);
  }
});

describe("a stored session", () => {
  it("is imported once, folded, explained, rendered, replayed and verified", async () => {
    const path = bench.file("long.json", openAiSession(LONG));
    const imported = await json(["import", path, "--store", bench.store]);
    expect(imported).toMatchObject({ code: 0, envelope: { data: { version: 125, appended: 125, pins: 1 } } });
    const again = await json(["import", path, "--store", bench.store]);
    expect(again.envelope.data).toMatchObject({ version: 125, appended: 0 });

    const argv = [path, "--store", bench.store, "--budget", "8000", "--ask", "Where?"];
    const { data } = await compact(argv);
    const id = data.threadId;
    expect(data.plan.version).toBe(1);
    const repeated = await compact(argv);
    expect(repeated.data).toMatchObject({
      outcome: "no-op",
      plan: data.plan,
      request: data.request,
      source: data.source,
    });

    const plans = await json(["plans", id, "--store", bench.store]);
    expect(plans.envelope.data).toMatchObject({
      threadId: id,
      plans: [{ version: 1, planId: data.plan.planId, compactedTokens: data.tokens.after }],
    });
    const rendered = await captureRun(["render", id, "--store", bench.store]);
    expect(createHash("sha256").update(rendered.stdout.trimEnd()).digest("hex")).toBe(data.request?.digest);
    const whole = await json(["render", id, "--plan", "0", "--format", "openai-chat", "--store", bench.store]);
    expect(whole.envelope.data).toMatchObject({ request: { format: "openai-chat" }, plan: { version: 0 } });

    const diff = await json(["diff", id, "0", "1", "--store", bench.store]);
    const difference = diff.envelope.data as { added: { action: string; messageIds: string[] }[]; removed: unknown[] };
    expect(difference.removed).toEqual([]);
    expect(difference.added.flatMap(({ messageIds }) => messageIds).length).toBe(125 - data.actions.include);

    const folded = difference.added[0]?.messageIds[0] ?? "";
    const explained = await json(["explain", id, folded, "--store", bench.store]);
    expect(explained.envelope.data).toMatchObject({
      messageId: folded,
      action: difference.added[0]?.action,
      sincePlanVersion: 1,
    });
    const text = await captureRun(["explain", id, folded, "--text", "--store", bench.store]);
    expect(text.stdout).toBe(`${(explained.envelope.data as { text: string }).text}\n`.replace(/\n\n$/, "\n"));

    const replayed = await json(["replay", id, "--store", bench.store]);
    expect(replayed).toMatchObject({ code: 0, envelope: { data: { equal: 3, different: 0 } } });
    for (const argv of [["verify"], ["verify", id]]) {
      expect(await json([...argv, "--store", bench.store])).toMatchObject({
        code: 0,
        envelope: { data: { threads: [id], findings: [] } },
      });
    }
  });

  it("P2 is rendered with the words that its policy puts around a summary, to the bytes that were recorded", async () => {
    const path = bench.file("worded.json", openAiSession({ calls: 30, resultLength: 2_000 }));
    const argv = [path, "--store", bench.store, "--preset", "goat", "--budget", "8000", "--ask", "Where?"];
    const { data } = await compact(argv);
    const rendered = await captureRun(["render", data.threadId, "--store", bench.store]);
    expect(rendered.stdout).toContain("[COMPACT SUMMARY]");
    expect(createHash("sha256").update(rendered.stdout.trimEnd()).digest("hex")).toBe(data.request?.digest);
  });

  it("has every message's full text, whatever the plan does with it", async () => {
    const path = bench.file("long.json", openAiSession(LONG));
    const { data } = await compact([path, "--store", bench.store, "--budget", "8000"]);
    const source = JSON.parse(openAiSession(LONG)) as { messages: { role: string; content: string }[] };
    const plan = (await json(["diff", data.threadId, "0", "1", "--store", bench.store])).envelope.data as {
      added: { messageIds: string[] }[];
    };
    const folded = plan.added.flatMap(({ messageIds }) => messageIds);
    expect(folded.length).toBeGreaterThan(50);
    const texts = new Set<string>();
    for (const id of folded)
      texts.add(
        ((await json(["explain", data.threadId, id, "--store", bench.store])).envelope.data as { text: string }).text,
      );
    const results = source.messages.filter(({ role }) => role === "tool").slice(0, 40);
    for (const { content } of results) expect(texts).toContain(content);
  });
});

describe("reading commands", () => {
  it("make no store, and say how to make one", async () => {
    for (const argv of [
      ["plans", "t"],
      ["render", "t"],
      ["explain", "t", "m"],
      ["diff", "t", "0", "1"],
      ["replay", "t"],
      ["verify"],
    ]) {
      const { code, envelope } = await json([...argv, "--store", bench.store]);
      expect(code).toBe(7);
      expect(envelope.error).toMatchObject({
        code: "STORE_UNAVAILABLE",
        hint: expect.stringContaining("threadfold import"),
      });
    }
    expect(readdirSync(bench.root)).toEqual([]);
    const empty = bench.file("empty.db", "");
    expect((await json(["verify", "--store", empty])).code).toBe(7);
    expect(readFileSync(empty, "utf8")).toBe("");
  });

  it("take the store from the environment", async () => {
    const env = { THREADFOLD_STORE: bench.store };
    const imported = await json(["import", bench.file("small.json", openAiSession())], { env });
    const { threadId } = imported.envelope.data as { threadId: string };
    expect(await json(["plans", threadId], { env })).toMatchObject({ code: 0, envelope: { data: { plans: [] } } });
    expect((await json(["verify"], { env })).code).toBe(0);
  });

  it("say what is not there, and what is", async () => {
    const imported = await json(["import", bench.file("small.json", openAiSession()), "--store", bench.store]);
    const { threadId } = imported.envelope.data as { threadId: string };
    const missing: [string[], string][] = [
      [["plans", "nobody"], "THREAD_NOT_FOUND"],
      [["explain", threadId, "nothing"], "MESSAGE_NOT_FOUND"],
      [["render", threadId, "--plan", "9"], "PLAN_NOT_FOUND"],
      [["diff", threadId, "0", "1"], "PLAN_NOT_FOUND"],
      [["replay", "nobody"], "THREAD_NOT_FOUND"],
      [["verify", "nobody"], "THREAD_NOT_FOUND"],
    ];
    for (const [argv, errorCode] of missing) {
      expect(await json([...argv, "--store", bench.store])).toMatchObject({
        code: 5,
        envelope: { error: { code: errorCode } },
      });
    }
    expect((await captureRun(["plans", "nobody", "--store", bench.store])).stderr).toContain(
      `The store holds ${threadId}.`,
    );
  });
});
