import { type ContextCompactionEvent, compactionConfig, type JsonValue } from "@threadfold/core";
import { hostileTexts } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CONFIG, countTokens, FoldedThread, THREAD } from "../testing/folded-thread.ts";
import { RehydrationInterceptor } from "./rehydration-interceptor.ts";
import { NO_REHYDRATIONS } from "./rehydration-state.ts";

const interceptor = new RehydrationInterceptor(CONFIG, countTokens);
const contents = ({ results }: { readonly results: readonly { readonly content: string }[] }): readonly string[] =>
  results.map(({ content }) => content);

describe("references in what the agent says", () => {
  it.each([
    ["in a sentence", (id: string) => `I need ${id} to go on.`],
    ["in a call", (id: string) => `read_artifact("${id}")`],
    ["after a colon", (id: string) => `[Externalized Content - artifact:${id}]`],
    ["in Chinese text", (id: string) => `请看${id}的内容`],
    ["at the end", (id: string) => id],
  ])("bring content back: %s", async (_, message) => {
    const thread = new FoldedThread();
    const id = await thread.externalize("the whole file");
    const outcome = await interceptor.maybeRehydrate(thread.request(message(id)));
    const metadata = await thread.store.getMetadata(id);
    expect(outcome.results).toEqual([
      {
        artifactId: id,
        content: "the whole file",
        tokenCount: 4,
        truncated: false,
        trigger: "message-reference",
        metadata,
      },
    ]);
    expect(outcome.state.lastTurns).toEqual({ [id]: 10 });
  });

  it.each([
    ["as part of a longer token", (id: string) => `${id}_v2 x${id} ${id}0`],
    ["cut off", (id: string) => id.slice(0, -1)],
    ["in capitals", (id: string) => id.toUpperCase()],
  ])("spec-64 do not count %s", async (_, message) => {
    const thread = new FoldedThread();
    const id = await thread.externalize("the whole file");
    expect((await interceptor.maybeRehydrate(thread.request(message(id)))).results).toEqual([]);
  });

  it("do not bring sealed content into a prompt from a store that was opened without its keys", async () => {
    const thread = new FoldedThread();
    const sealed = await thread.externalize(`sealed1.AQ${"Zm9v_YmFy-".repeat(20)}`);
    const open = await thread.externalize("the whole file");
    const outcome = await interceptor.maybeRehydrate(thread.request(`I need ${sealed} and ${open}.`));
    expect(contents(outcome)).toEqual(["the whole file"]);
    expect(Object.keys(outcome.state.lastTurns)).toEqual([open]);
    expect(outcome.blocked).toEqual([]);
  });

  it("bring back what a summary took over from pointers: by id, in arguments and by hint", async () => {
    const thread = new FoldedThread();
    const id = await thread.externalize("the whole file", { hint: "full result of read_file src/orders.ts" });
    const plan = thread.summarized;
    const asked = async (message: string, more = {}) =>
      (await interceptor.maybeRehydrate(thread.request(message, { plan, ...more }))).results;
    expect(await asked(`I need ${id}.`)).toMatchObject([{ artifactId: id, trigger: "message-reference" }]);
    const pendingToolCalls = [{ toolName: "diff", input: { of: id } }];
    expect(await asked("", { pendingToolCalls })).toMatchObject([{ artifactId: id, trigger: "argument-reference" }]);
    expect(await asked("What was in src/orders.ts?")).toMatchObject([{ artifactId: id, trigger: "hint-match" }]);
  });

  it("spec-66 bring back by a question for a name that stands in the content, and not when it is only mentioned", async () => {
    const thread = new FoldedThread();
    const id = await thread.externalize("item3: 12 EUR", { hint: "full result of http_get", names: ["item3"] });
    const asked = async (message: string) =>
      (await interceptor.maybeRehydrate(thread.request(message))).results.map(({ trigger }) => trigger);
    expect(await asked("What was the price of item3 again?")).toEqual(["hint-match"]);
    expect(await asked("The price of item3 is wrong. Shall I go on?")).toEqual([]);
    expect(await asked("Now item3 is done.")).toEqual([]);
    expect(id).toMatch(/^artifact_/);
  });

  it("do not count for what the plan does not point to", async () => {
    const [thread, other] = [new FoldedThread(), new FoldedThread()];
    const id = await thread.externalize("somebody else's file");
    expect((await interceptor.maybeRehydrate(thread.request(id, { plan: other.plan }))).results).toEqual([]);
    expect(thread.store.reads).toBe(0);
  });
});

describe("references in arguments", () => {
  it.each<[string, (id: string) => JsonValue]>([
    ["at the top", (id) => id],
    ["in a field", (id) => ({ path: id })],
    ["deep inside", (id) => ({ steps: [{ with: { files: ["a", `see ${id}.`] } }] })],
  ])("bring content back: %s", async (_, input) => {
    const thread = new FoldedThread();
    const id = await thread.externalize("the whole file");
    const { results } = await interceptor.maybeRehydrate(
      thread.request("", { pendingToolCalls: [{ toolName: "diff", input: input(id) }] }),
    );
    expect(results).toMatchObject([{ artifactId: id, trigger: "argument-reference" }]);
  });

  it("are left to read_artifact when it is the call", async () => {
    const thread = new FoldedThread();
    const id = await thread.externalize("the whole file");
    const pendingToolCalls = [{ toolName: "read_artifact", input: { artifact_id: id } }];
    expect((await interceptor.maybeRehydrate(thread.request("Let me read it.", { pendingToolCalls }))).results).toEqual(
      [],
    );
  });

  it("spec-65 are found in arguments of any depth", async () => {
    const thread = new FoldedThread();
    const id = await thread.externalize("the whole file");
    let input: JsonValue = id;
    for (let depth = 0; depth < 100_000; depth++) input = [input];
    expect(
      (await interceptor.maybeRehydrate(thread.request("", { pendingToolCalls: [{ toolName: "t", input }] }))).results,
    ).toHaveLength(1);
  });
});

describe("hints", () => {
  const rehydrateWith = async (message: string, hint: string): Promise<number> => {
    const thread = new FoldedThread();
    await thread.externalize("the whole file", { hint });
    return (await interceptor.maybeRehydrate(thread.request(message))).results.length;
  };

  it.each([
    ["What was the schema of orders_v2 again?", "read if you need the schema of orders_v2"],
    ["I need to look at src/app/main.ts again.", "read for the full contents of src/app/main.ts"],
    ["Which payment providers were compared for pricing?", "comparison of payment providers and pricing"],
    ["Brauche ich noch einmal die Datei src/app/main.ts", "the file src/app/main.ts"],
  ])("match %j", async (message, hint) => expect(await rehydrateWith(message, hint)).toBe(1));

  it.each([
    ["I fixed src/app/main.ts.", "read for the full contents of src/app/main.ts"],
    ["What is the weather in Paris?", "read if you need the schema of orders_v2"],
    ["Can you show the full result?", "read it for the full result (4000 tokens)"],
    ["What was it?", ""],
    ["I need the provider.", "comparison of payment providers and pricing"],
  ])("do not match %j", async (message, hint) => expect(await rehydrateWith(message, hint)).toBe(0));
});

describe("limits", () => {
  it("spec-69 hold per turn: plain references first, hints last", async () => {
    const thread = new FoldedThread();
    const ids: string[] = [];
    for (let index = 0; index < 5; index++)
      ids.push(await thread.externalize(`content ${index}`, { hint: "the schema of orders_v2" }));
    const outcome = await interceptor.maybeRehydrate(thread.request(`What of orders_v2? See ${ids[4]} and ${ids[3]}.`));
    expect(contents(outcome)).toEqual(["content 4", "content 3", "content 0"]);
  });

  it("spec-70 spec-83 hold per artifact, in counted tokens, with a marker that says how to read on", async () => {
    const thread = new FoldedThread();
    const id = await thread.externalize("a line of text\n".repeat(5_000));
    const { results } = await interceptor.maybeRehydrate(thread.request(id));
    const { content, tokenCount, truncated } = results[0] as (typeof results)[number];
    expect(truncated).toBe(true);
    expect(tokenCount).toBe(countTokens(content));
    expect(tokenCount).toBeLessThanOrEqual(CONFIG.rehydrationMaxTokensPerArtifact);
    expect(tokenCount).toBeGreaterThan(CONFIG.rehydrationMaxTokensPerArtifact * 0.9);
    const shown = /text\n\[… cut here: (\d+) of 75000 characters are shown\]$/.exec(content);
    expect(shown).not.toBeNull();
  });

  it("spec-71 spec-76 hold in total: what does not fit ends the list (seed 002)", async () => {
    const thread = new FoldedThread();
    const ids: string[] = [];
    for (const letter of ["a", "b", "c"]) ids.push(await thread.externalize(letter.repeat(12_000)));
    const outcome = await interceptor.maybeRehydrate(thread.request(ids.join(" ")));
    expect(contents(outcome).map((content) => content[0])).toEqual(["a", "b"]);
  });

  it("shrink to what the request has free", async () => {
    const thread = new FoldedThread();
    const id = await thread.externalize("word ".repeat(4_000));
    const outcome = await interceptor.maybeRehydrate(thread.request(id, { availableTokens: 500 }));
    expect(outcome.results[0]?.tokenCount).toBeLessThanOrEqual(500);
    expect((await interceptor.maybeRehydrate(thread.request(id, { availableTokens: 3 }))).results).toEqual([]);
    expect((await interceptor.maybeRehydrate(thread.request(id, { availableTokens: -20 }))).results).toEqual([]);
  });

  it("are kept whatever the contents, and nothing but the plan's artifacts comes back", async () => {
    const config = compactionConfig({
      rehydrationMaxTokensPerArtifact: 60,
      rehydrationTotalBudgetTokens: 100,
      rehydrationMaxArtifactsPerTurn: 4,
    });
    const small = new RehydrationInterceptor(config, countTokens);
    await fc.assert(
      fc.asyncProperty(fc.array(hostileTexts, { minLength: 1, maxLength: 6 }), fc.nat(10), async (texts, turn) => {
        const thread = new FoldedThread();
        const ids = await Promise.all(texts.map((text) => thread.externalize(text)));
        const request = thread.request(ids.join("\n"), { currentTurn: turn });
        const { results, state } = await small.maybeRehydrate(request);
        expect(results.length).toBeLessThanOrEqual(4);
        expect(results.reduce((sum, { tokenCount }) => sum + tokenCount, 0)).toBeLessThanOrEqual(100);
        for (const { artifactId, content, tokenCount, truncated } of results) {
          expect(tokenCount).toBe(countTokens(content));
          expect(tokenCount).toBeLessThanOrEqual(60);
          expect(content.isWellFormed()).toBe(true);
          if (!truncated) expect((await thread.store.retrieve(artifactId))?.content).toBe(content);
          expect(state.lastTurns[artifactId]).toBe(turn);
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe("cooldown", () => {
  it("spec-72 lets an artifact rest for the configured turns", async () => {
    const thread = new FoldedThread();
    const id = await thread.externalize("content");
    let state = NO_REHYDRATIONS;
    const turns: number[] = [];
    for (let currentTurn = 1; currentTurn <= 7; currentTurn++) {
      const outcome = await interceptor.maybeRehydrate(thread.request(id, { currentTurn, state }));
      if (outcome.results.length > 0) turns.push(currentTurn);
      state = outcome.state;
    }
    expect(turns).toEqual([1, 3, 5, 7]);
    expect(NO_REHYDRATIONS.lastTurns).toEqual({});
  });
});

describe("security", () => {
  it.each(["confidential", "restricted"] as const)(
    "spec-73 spec-74 keeps %s content back and says so",
    async (sensitivity) => {
      const events: ContextCompactionEvent[] = [];
      const watched = new RehydrationInterceptor(CONFIG, countTokens, (event) => void events.push(event));
      const thread = new FoldedThread();
      const id = await thread.externalize("the secret", { sensitivity });
      const outcome = await watched.maybeRehydrate(thread.request(id));
      expect(outcome).toEqual({ results: [], blocked: [id], state: NO_REHYDRATIONS });
      expect(events).toEqual([
        {
          type: "rehydration_blocked_sensitivity",
          artifactId: id,
          reason: `${sensitivity} content does not come back on its own; call read_artifact`,
          threadId: THREAD,
          budgetLimit: CONFIG.maxInputTokens,
        },
      ]);
      expect(thread.store.reads).toBe(0);
    },
  );

  it("keeps back what was tightened between the look at its metadata and the reading", async () => {
    const thread = new FoldedThread();
    const id = await thread.externalize("the secret");
    const before = await thread.store.getMetadata(id);
    await thread.externalize("the secret", { sensitivity: "restricted" });
    thread.store.getMetadata = async () => before;
    expect(await interceptor.maybeRehydrate(thread.request(id))).toMatchObject({ results: [], blocked: [id] });
  });

  it("lets a policy allow more", async () => {
    const open = new RehydrationInterceptor(
      compactionConfig({ autoRehydrateSensitivities: ["confidential"] }),
      countTokens,
    );
    const thread = new FoldedThread();
    const id = await thread.externalize("the secret", { sensitivity: "confidential" });
    expect((await open.maybeRehydrate(thread.request(id))).results).toHaveLength(1);
  });

  it("leaves it to the store who may read, at the time of reading", async () => {
    const thread = new FoldedThread();
    const id = await thread.externalize("of tenant a", { tenantId: "a" });
    const as = (tenantId: string) => ({ securityContext: { requesterId: "agent", tenantId, permissions: [] } });
    expect((await interceptor.maybeRehydrate(thread.request(id, as("b")))).results).toEqual([]);
    expect((await interceptor.maybeRehydrate(thread.request(id))).results).toEqual([]);
    expect(contents(await interceptor.maybeRehydrate(thread.request(id, as("a"))))).toEqual(["of tenant a"]);
  });

  it("spec-115 says what came back, by id and size and never by content, and minds no failing listener", async () => {
    const events: ContextCompactionEvent[] = [];
    const watched = new RehydrationInterceptor(CONFIG, countTokens, (event) => {
      events.push(event);
      throw new Error("listener down");
    });
    const thread = new FoldedThread();
    const id = await thread.externalize("content");
    expect((await watched.maybeRehydrate(thread.request(id))).results).toHaveLength(1);
    expect(events).toEqual([
      {
        type: "compaction_rehydrated",
        artifactId: id,
        tokens: 2,
        threadId: THREAD,
        budgetLimit: CONFIG.maxInputTokens,
      },
    ]);
  });

  it("spec-68 does nothing when it is switched off", async () => {
    const off = new RehydrationInterceptor(compactionConfig({ rehydrationEnabled: false }), countTokens);
    const thread = new FoldedThread();
    const id = await thread.externalize("content");
    expect((await off.maybeRehydrate(thread.request(id))).results).toEqual([]);
  });
});
