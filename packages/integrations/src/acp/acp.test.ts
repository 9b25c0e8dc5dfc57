import {
  type AgentApp,
  agent,
  type ClientCapabilities,
  type ContentBlock,
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import Anthropic from "@anthropic-ai/sdk";
import { type MessageInput, type Summarizer, ThreadfoldError, type ThreadfoldStore } from "@threadfold/core";
import { messageInputs, pinnedClock, runs } from "@threadfold/core/laws";
import { ContextSession, type OpenOptions } from "@threadfold/session";
import { createMemoryStore } from "@threadfold/stores";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anthropicTurn } from "../anthropic/anthropic-turn.ts";
import { anthropicAnswer, scriptedFetch } from "../testing/doubles.ts";
import { NOON } from "../testing/sessions.ts";
import { AcpSessions, messageUpdates, promptMessage, sendHistory } from "./index.ts";

const EVERYTHING: ClientCapabilities = { session: { compaction: {}, notices: {} } };
const CONFIG = { maxInputTokens: 6_000, outputReserveTokens: 500 };
const clock = pinnedClock(NOON);
const model = "claude-sonnet-5";

type Update<Kind extends SessionUpdate["sessionUpdate"]> = Extract<SessionUpdate, { readonly sessionUpdate: Kind }>;

const kind = <Kind extends SessionUpdate["sessionUpdate"]>(updates: readonly SessionUpdate[], wanted: Kind) =>
  updates.filter((update): update is Update<Kind> => update.sessionUpdate === wanted);

const textOf = (blocks: readonly ContentBlock[] | null | undefined): string =>
  (blocks ?? []).map((block) => (block.type === "text" ? block.text : "")).join("\n");

/** A client of the official SDK before an agent, over the lines that the two write to each other. */
async function connected(app: AgentApp, capabilities: ClientCapabilities = EVERYTHING) {
  const [there, back] = [new TransformStream<Uint8Array>(), new TransformStream<Uint8Array>()];
  const updates: SessionUpdate[] = [];
  const served = app.connect(ndJsonStream(back.writable, there.readable));
  const editor = client({ name: "editor" }).onNotification(methods.client.session.update, ({ params }) => {
    updates.push(params.update);
  });
  const connection = editor.connect(ndJsonStream(there.writable, back.readable));
  const initialize = { protocolVersion: PROTOCOL_VERSION, clientCapabilities: capabilities };
  await connection.agent.request(methods.agent.initialize, initialize);
  return {
    updates,
    agent: connection.agent,
    /** The agent's side, as its handlers have it. */
    peer: served.client,
    close: async () => {
      connection.close();
      served.close();
      await served.closed;
    },
  };
}

/** An agent over the Anthropic SDK: each prompt is answered with a page of text, so that its window fills. */
function writingAgent(store: ThreadfoldStore = createMemoryStore(), options: Partial<OpenOptions> = {}) {
  const name = crypto.randomUUID();
  const answers = Array.from({ length: 40 }, (_, index) =>
    anthropicAnswer(`msg_${name}_${index}`, [{ type: "text", text: `Page ${index}: ${"It says this. ".repeat(200)}` }]),
  );
  const { fetch, bodies } = scriptedFetch(answers.map((body) => ({ body })));
  const anthropic = new Anthropic({ apiKey: "test", fetch, maxRetries: 0 });
  const sessions = new AcpSessions((threadId, onEvent) =>
    ContextSession.open({ threadId, store, clock, config: CONFIG, model, onEvent, ...options }),
  );
  let session: ContextSession | undefined;

  const app = agent({ name: "writer" })
    .onRequest(methods.agent.initialize, ({ params }) => {
      sessions.capabilities = params.clientCapabilities;
      return { protocolVersion: PROTOCOL_VERSION, agentCapabilities: { loadSession: true } };
    })
    .onRequest(methods.agent.session.new, async ({ client: peer }) => {
      ({ session } = await sessions.open({ sessionId: "s1", client: peer }));
      return { sessionId: "s1" };
    })
    .onRequest(methods.agent.session.load, async ({ params: { sessionId }, client: peer }) => {
      const thread = await sessions.open({ sessionId, client: peer });
      ({ session } = thread);
      await sendHistory(thread);
      return {};
    })
    .onRequest(methods.agent.session.prompt, async ({ params, client: peer }) => {
      const thread = await sessions.open({ sessionId: params.sessionId, client: peer });
      await thread.session.append([promptMessage(params, clock)]);
      const since = thread.session.thread.length;
      const turn = anthropicTurn({ session: thread.session, client: anthropic, model, max_tokens: 500, clock });
      const { message } = await turn.step();
      expect(message.stop_reason).toBe("end_turn");
      await sendHistory(thread, since);
      return { stopReason: "end_turn" };
    });
  return { app, bodies, sessions, session: () => session as ContextSession };
}

async function converse(editor: Awaited<ReturnType<typeof connected>>, prompts: number): Promise<void> {
  const started = await editor.agent.buildSession("/work").start();
  for (let index = 0; index < prompts; index++) await started.prompt(`Write page ${index}. Never use the word vault.`);
}

describe("an agent that speaks the Agent Client Protocol", () => {
  it("reports the start and end of each compaction and the window's usage, and folds within its budget", async () => {
    const { app, bodies, session } = writingAgent();
    const editor = await connected(app);
    await converse(editor, 24);

    const compactions = kind(editor.updates, "compaction_update");
    const plans = session().plan.version;
    expect(plans).toBeGreaterThan(1);
    const byId = Map.groupBy(compactions, ({ compactionId }) => compactionId);
    expect(byId.size).toBe(plans);
    for (const updates of byId.values()) {
      expect(updates.map(({ status }) => status)).toEqual(["in_progress", "completed"]);
      expect(textOf(updates[1]?.summary)).toMatch(/^Context compacted: [\d.]+k → [\d.]+k? tokens/);
    }
    expect(textOf(compactions.at(-1)?.summary)).toContain("Write page");

    const sizes = kind(editor.updates, "usage_update");
    for (const { used, size } of sizes) {
      expect(size).toBe(CONFIG.maxInputTokens);
      expect(used).toBeLessThan(2 * CONFIG.maxInputTokens);
    }
    expect(sizes.at(-1)).toMatchObject({ used: session().stats().tokens, cost: { currency: "USD" } });
    expect(sizes.at(-1)?.cost?.amount).toBeGreaterThan(0);
    expect(bodies).toHaveLength(24);
    for (const body of bodies) expect(JSON.stringify(body)).toContain("Never use the word vault");
    // From the third plan on a user is told that a long thread may be less accurate.
    expect(kind(editor.updates, "notice").map(({ severity }) => severity)).toContain("info");
    await editor.close();
  });

  it("sends only universal updates to a client that declares no capabilities", async () => {
    const { app, session } = writingAgent();
    const editor = await connected(app, {});
    await converse(editor, 12);
    expect(session().plan.version).toBeGreaterThan(0);
    expect(new Set(editor.updates.map(({ sessionUpdate }) => sessionUpdate))).toEqual(
      new Set(["usage_update", "agent_message_chunk"]),
    );
    await editor.close();
  });

  it("replays the whole conversation in another process, with compactions where they took place", async () => {
    const store = createMemoryStore();
    const first = writingAgent(store);
    const before = await connected(first.app);
    await converse(before, 12);
    await before.close();
    const { plan, thread } = first.session();

    const second = writingAgent(store);
    const editor = await connected(second.app);
    await editor.agent.request(methods.agent.session.load, { sessionId: "s1", cwd: "/work", mcpServers: [] });
    const said = editor.updates.flatMap((update) =>
      update.sessionUpdate === "user_message_chunk" || update.sessionUpdate === "agent_message_chunk"
        ? [[update.sessionUpdate, textOf([update.content])]]
        : [],
    );
    expect(said).toEqual(
      [...thread.messages].map(({ role, parts: [part] }) => [
        role === "user" ? "user_message_chunk" : "agent_message_chunk",
        part?.type === "text" ? part.text : "",
      ]),
    );
    const compactions = kind(editor.updates, "compaction_update");
    expect(compactions.map(({ compactionId }) => compactionId)).toEqual(
      Array.from({ length: plan.version }, (_, index) => `plan-${index + 1}`),
    );
    const place = editor.updates.indexOf(compactions.at(-1) as SessionUpdate);
    const entriesSeen = thread.entriesBetween(0, plan.threadVersion).filter(({ type }) => type === "message").length;
    expect(place).toBe(entriesSeen + plan.version - 1);
    expect(editor.updates.at(-1)).toMatchObject({
      sessionUpdate: "usage_update",
      used: second.session().stats().tokens,
    });
    // It goes on where it was.
    await editor.agent.request(methods.agent.session.prompt, {
      sessionId: "s1",
      prompt: [{ type: "text", text: "More." }],
    });
    expect(second.session().thread.length).toBe(thread.length + 2);
    await editor.close();
  });

  it("reports why a fold failed, and that a failing summarizer is bypassed", async () => {
    const summarizer: Summarizer = {
      id: "down",
      summarize: () => Promise.reject(new Error("a secret of the model's")),
    };
    const kept = createMemoryStore();
    let isFull = false;
    const commitPlan: typeof kept.plans.commitPlan = (...given) =>
      isFull
        ? Promise.reject(new ThreadfoldError("STORE_UNAVAILABLE", "The disk is full."))
        : kept.plans.commitPlan(...given);
    const plans = Object.assign(Object.create(kept.plans), { commitPlan });
    const { app, session } = writingAgent({ ...kept, plans }, { summarizer, background: false });
    const editor = await connected(app);
    await converse(editor, 20);
    expect(kind(editor.updates, "notice").map(({ title }) => title)).toContainEqual(
      expect.stringContaining("summarizing model is failing"),
    );
    expect(session().plan.version).toBeGreaterThan(0);

    isFull = true;
    await session().compact({ force: true });
    await new Promise((resolve) => setTimeout(resolve));
    const last = kind(editor.updates, "compaction_update").slice(-2);
    expect(last.map(({ status }) => status)).toEqual(["in_progress", "failed"]);
    expect(last[1]?.error).toContain("The disk is full.");
    expect(JSON.stringify(editor.updates)).not.toContain("a secret of the model's");
    await editor.close();
  });

  it("opens each session once, and again after a failed attempt", async () => {
    let opened = 0;
    const store = createMemoryStore();
    const sessions = new AcpSessions(async (threadId, onEvent) => {
      opened++;
      if (opened === 1) throw new Error("Not yet.");
      return ContextSession.open({ threadId, store, onEvent });
    });
    const client = { notify: async () => undefined };
    await expect(sessions.open({ sessionId: "s1", client })).rejects.toThrow("Not yet.");
    const [first, second] = await Promise.all([1, 2].map(() => sessions.open({ sessionId: "s1", client })));
    expect(first).toBe(second);
    expect(opened).toBe(2);
    await sessions.close();
    await expect(first?.session.append([promptMessage({ prompt: [] })])).rejects.toThrow();
  });

  it("keeps working when the client has disconnected", async () => {
    const { app, session } = writingAgent();
    const editor = await connected(app);
    await converse(editor, 2);
    await editor.close();
    await session().append([promptMessage({ prompt: [{ type: "text", text: "word ".repeat(12_000) }] }, clock)]);
    expect((await session().compact({ force: true })).type).not.toBe("failed");
  });
});

describe("thread messages as ACP updates", () => {
  it("reach a client of the official SDK exactly as they were sent, whatever they hold", async () => {
    const { app } = writingAgent();
    const editor = await connected(app);
    const law = fc.asyncProperty(messageInputs({ malformed: true, maxMessages: 12 }), async (messages) => {
      editor.updates.length = 0;
      const sent = messages.flatMap((message) => messageUpdates(message));
      for (const update of sent) await editor.peer.notify("session/update", { sessionId: "s1", update });
      // The lines arrive in order, so an answer comes behind all of them.
      await editor.agent.request(methods.agent.session.new, { cwd: "/", mcpServers: [] });
      expect(editor.updates).toEqual(JSON.parse(JSON.stringify(sent)));
    });
    await fc.assert(law, runs(50));
    await editor.close();
  });

  it("restore a prompt unchanged", () => {
    const prompt: ContentBlock[] = [
      { type: "text", text: "Look at this." },
      { type: "image", data: "aW1n", mimeType: "image/png" },
      { type: "audio", data: "c291bmQ=", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "file:///a.pdf", blob: "cGRm", mimeType: "application/pdf" } },
    ];
    const message = promptMessage({ prompt }, clock);
    const chunks = kind(messageUpdates(message), "user_message_chunk");
    expect(chunks.map(({ content }) => content)).toEqual(prompt);
    expect(new Set(chunks.map(({ messageId }) => messageId))).toEqual(new Set([message.id]));
  });

  it("turn links and embedded texts of a prompt into text with their address", () => {
    const { parts } = promptMessage({
      prompt: [
        { type: "resource_link", name: "main.ts", uri: "file:///main.ts" },
        { type: "resource", resource: { uri: "file:///notes.md", text: "Be brief." } },
      ],
    });
    expect(parts).toEqual([
      { type: "text", text: "[main.ts](file:///main.ts)" },
      { type: "text", text: '<context ref="file:///notes.md">\nBe brief.\n</context>' },
    ]);
  });

  it("omit messages that nobody typed", () => {
    const parts: MessageInput["parts"] = [{ type: "text", text: "You are an engineer." }];
    const base = { ...promptMessage({ prompt: [] }), parts };
    expect(messageUpdates({ ...base, role: "system" })).toEqual([]);
    expect(messageUpdates({ ...base, origin: "harness" })).toEqual([]);
  });
});
