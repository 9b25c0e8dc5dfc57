import { MemorySaver } from "@langchain/langgraph";
import { asThreadId, type ThreadfoldStore } from "@threadfold/core";
import { ContextSession } from "@threadfold/session";
import { createMemoryStore } from "@threadfold/stores";
import { clearStrategy, threadfoldPreset } from "@threadfold/strategies";
import {
  AIMessage,
  type BaseMessage,
  createAgent,
  fakeModel,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  tool,
} from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { agentThatFolds } from "../examples/langchain.ts";
import { currentSession } from "../mirror/divergence.ts";
import { threadfoldMiddleware } from "./threadfold-middleware.ts";

const RULE = "Never edit config/production.yaml without asking me first.";
const page = (name: string): string => `${name}: ${"a line of the file that says little. ".repeat(40)}`;
const on = (thread_id: string) => ({ configurable: { thread_id }, recursionLimit: 100 });

const read = tool(({ path }) => page(path), {
  name: "read",
  description: "Reads a file.",
  schema: z.object({ path: z.string() }),
});

/** A model that reads one file after the other, and then says that it is done. */
function readingModel(files: number) {
  const model = fakeModel();
  for (let file = 0; file < files; file++)
    model.respond(
      new AIMessage({
        id: `answer-${file}`,
        content: [
          { type: "thinking", thinking: `file ${file} next`, signature: `signed-${file}` },
          { type: "tool_use", id: `call-${file}`, name: "read", input: { path: `file-${file}` } },
        ],
        tool_calls: [{ id: `call-${file}`, name: "read", args: { path: `file-${file}` } }],
        usage_metadata: { input_tokens: 100, output_tokens: 10, total_tokens: 110 },
      }),
    );
  return model.respond(new AIMessage({ id: "answer-last", content: "Done." }));
}

const openIn =
  (store: ThreadfoldStore, maxInputTokens = 3_000) =>
  (threadId: ReturnType<typeof asThreadId>) =>
    ContextSession.open({ threadId, store, config: { maxInputTokens } });

const textsOf = (messages: readonly BaseMessage[]): string => messages.map(({ text }) => text).join("\n");

describe("threadfoldMiddleware", () => {
  it("folds what the model is sent, and leaves the state and the checkpoints as they are", async () => {
    const model = readingModel(12);
    const store = createMemoryStore();
    const agent = createAgent({
      model,
      tools: [read],
      systemPrompt: "Be careful.",
      middleware: [threadfoldMiddleware({ open: openIn(store) })],
      checkpointer: new MemorySaver(),
    });
    const { messages } = await agent.invoke({ messages: [new HumanMessage(`Read all. ${RULE}`)] }, on("t"));
    expect(messages).toHaveLength(1 + 12 * 2 + 1);
    expect(messages.filter((message) => ToolMessage.isInstance(message))[0]?.text).toBe(page("file-0"));
    const session = await openIn(store)(asThreadId("t"));
    await session.loadHistory();
    expect(session.plan.version).toBeGreaterThan(0);
    expect(session.thread.length).toBe(messages.length);
    const last = model.calls.at(-1)?.messages ?? [];
    expect(last.length).toBeLessThan(messages.length);
    expect(textsOf(last)).toContain(RULE);
    expect(SystemMessage.isInstance(last[0]) && last[0].text).toBe("Be careful.");
    expect((await session.replay()).every(({ equal }) => equal)).toBe(true);
  });

  it("hands the host's own messages through where nothing is folded", async () => {
    const model = readingModel(2);
    const session = await openIn(createMemoryStore(), 50_000)(asThreadId("t"));
    const warnings: unknown[] = [];
    const middleware = [threadfoldMiddleware({ session, onRequest: (request) => warnings.push(...request.warnings) })];
    const agent = createAgent({ model, tools: [read], middleware });
    const question = new HumanMessage({
      content: [{ type: "text", text: "Go.", cache_control: { type: "ephemeral" } }],
    });
    const { messages } = await agent.invoke({ messages: [question] });
    const last = model.calls.at(-1)?.messages ?? [];
    expect(last).toEqual(messages.slice(0, -1));
    expect(last.every((message, index) => message === messages[index])).toBe(true);
    // LangChain names every answer and every result, and the model is sent these names.
    expect(messages.map(({ name }) => name)).toContain("model");
    expect(JSON.stringify(warnings)).not.toContain("openai.name");
    const [first] = session.thread.messages;
    expect(first?.parts[0]).toMatchObject({
      providerMetadata: { langchain: { cache_control: { type: "ephemeral" } } },
    });
    const [, answer, result] = session.thread.messages;
    expect(answer?.parts).toMatchObject([
      { type: "reasoning", provider: "anthropic", signature: "signed-0", text: "file 0 next" },
      { type: "tool-call", callId: "call-0", toolName: "read", input: { path: "file-0" } },
    ]);
    expect(result).toMatchObject({ role: "tool", parts: [{ result: { toolName: "read", callId: "call-0" } }] });
  });

  it("keeps what a provider's package knows a call and its result by, where a fold changes them", async () => {
    const run = tool(
      (_input, { toolCall }) =>
        new ToolMessage({
          content: page(`${toolCall?.id}`),
          tool_call_id: `${toolCall?.id}`,
          additional_kwargs: { customTool: true },
        }),
      { name: "run", schema: z.object({ input: z.string() }) },
    );
    const model = fakeModel();
    for (let step = 0; step < 14; step++) {
      const call = { id: `c-${step}`, name: "run", args: { input: page("script") }, type: "tool_call" as const };
      model.respond(new AIMessage({ content: "", tool_calls: [{ ...call, isCustomTool: true } as typeof call] }));
    }
    model.respond(new AIMessage("Done."));
    const preset = { ...threadfoldPreset, name: "clearing", ladder: [clearStrategy] };
    const open = { threadId: asThreadId("t"), store: createMemoryStore(), preset, config: { maxInputTokens: 9_000 } };
    const session = await ContextSession.open(open);
    const agent = createAgent({ model, tools: [run], middleware: [threadfoldMiddleware({ session })] });
    const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] }, { recursionLimit: 100 });
    const sent = model.calls.flatMap((call) => call.messages);
    expect(sent.filter((message) => !messages.includes(message)).map(({ type }) => type)).toContain("tool");
    for (const message of sent) {
      if (ToolMessage.isInstance(message)) expect(message.additional_kwargs).toEqual({ customTool: true });
      for (const call of AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [])
        expect(call).toMatchObject({ isCustomTool: true, args: { input: expect.any(String) } });
    }
  });

  it("goes on with a thread after a restart, from the checkpoint", async () => {
    const [store, checkpointer] = [createMemoryStore(), new MemorySaver()];
    const invoke = async (text: string) => {
      const model = fakeModel().respond(new AIMessage(`About ${text}.`));
      const middleware = [threadfoldMiddleware({ open: openIn(store) })];
      return createAgent({ model, middleware, checkpointer }).invoke({ messages: [new HumanMessage(text)] }, on("t"));
    };
    await invoke("one");
    const { messages } = await invoke("two");
    const session = await openIn(store)(asThreadId("t"));
    expect(messages).toHaveLength(4);
    expect([...session.thread.messages].map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  });

  it("goes on in a fork when the state took another way", async () => {
    const [store, checkpointer] = [createMemoryStore(), new MemorySaver()];
    const model = fakeModel();
    for (const text of ["one", "two", "other"]) model.respond(new AIMessage(`About ${text}.`));
    const middleware = [threadfoldMiddleware({ open: openIn(store) })];
    const agent = createAgent({ model, middleware, checkpointer });
    await agent.invoke({ messages: [new HumanMessage("one")] }, on("t"));
    const { config } = await agent.graph.getState(on("t"));
    await agent.invoke({ messages: [new HumanMessage("two")] }, on("t"));
    const { messages } = await agent.invoke({ messages: [new HumanMessage({ id: "h", content: "other" })] }, config);
    expect(messages.map(({ text }) => text)).toEqual(["one", "About one.", "other", "About other."]);
    const first = await openIn(store)(asThreadId("t"));
    expect(first.thread.length).toBe(4);
    const { items } = await store.threads.list();
    expect(items.map(({ threadId }) => threadId)).toEqual(["t", expect.stringMatching(/^t~2-[0-9a-f]{12}$/)]);
  });

  it("goes on in a fork with one session as well, and fails where it is to refuse", async () => {
    const session = await openIn(createMemoryStore())(asThreadId("t"));
    const model = fakeModel();
    for (const text of ["One.", "Two.", "Three."]) model.respond(new AIMessage(text));
    const forking = createAgent({ model, middleware: [threadfoldMiddleware({ session })] });
    await forking.invoke({ messages: [new HumanMessage("one")] });
    await forking.invoke({ messages: [new HumanMessage("two")] });
    expect(currentSession(session).threadId).toMatch(/^t~0-/);
    expect([...session.thread.messages].map(({ role }) => role)).toEqual(["user", "assistant"]);
    const agent = createAgent({ model, middleware: [threadfoldMiddleware({ session, onDiverged: "refuse" })] });
    await expect(agent.invoke({ messages: [new HumanMessage("another")] })).rejects.toMatchObject({
      cause: { code: "HISTORY_DIVERGED" },
    });
  });

  it("L19 folds and asks once more after an overflow, and then lets the error through", async () => {
    const session = await openIn(createMemoryStore(), 50_000)(asThreadId("t"));
    const tooLong = () => Object.assign(new Error("prompt is too long: 9000 tokens > 8000 maximum"), { status: 400 });
    const model = readingModel(0);
    const agent = (answering: typeof model) =>
      createAgent({ model: answering, middleware: [threadfoldMiddleware({ session })] });
    const history = Array.from({ length: 8 }, (_, turn) => [
      new HumanMessage({ id: `u${turn}`, content: page(`question ${turn}`) }),
      new AIMessage({ id: `a${turn}`, content: page(`answer ${turn}`) }),
    ]).flat();
    const messages = [...history, new HumanMessage({ id: "now", content: "And now?" })];
    const healed = fakeModel()
      .respond(tooLong())
      .respond(new AIMessage({ id: "ok", content: "Done." }));
    expect((await agent(healed).invoke({ messages })).messages.at(-1)?.text).toBe("Done.");
    expect(healed.callCount).toBe(2);
    expect(textsOf(healed.calls[1]?.messages ?? []).length).toBeLessThan(
      textsOf(healed.calls[0]?.messages ?? []).length,
    );
    const stuck = fakeModel().alwaysThrow(tooLong());
    const again = [
      ...messages,
      new AIMessage({ id: "ok", content: "Done." }),
      new HumanMessage({ id: "x", content: "?" }),
    ];
    await expect(agent(stuck).invoke({ messages: again })).rejects.toThrow("too long");
    expect(stuck.callCount).toBeLessThan(3);
  });

  it("never runs a call that the output limit cut off", async () => {
    const session = await openIn(createMemoryStore(), 50_000)(asThreadId("t"));
    const paths: string[] = [];
    const noting = tool(({ path }) => paths.push(path), { name: "read", schema: z.object({ path: z.string() }) });
    const cut = (path: string, text: string) =>
      new AIMessage({
        content: text,
        tool_calls: [{ id: `c-${path}`, name: "read", args: { path } }],
        response_metadata: { finish_reason: "length" },
      });
    const model = fakeModel().respond(cut("half", "")).respond(cut("half again", "Cut off."));
    const agent = createAgent({ model, tools: [noting], middleware: [threadfoldMiddleware({ session })] });
    const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] });
    expect(model.callCount).toBe(2);
    expect(paths).toEqual([]);
    expect(messages.map(({ text }) => text)).toEqual(["go", "Cut off."]);
    expect([...session.thread.messages].map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  it("leaves a call that was cut off in no field from which LangChain would send it again", async () => {
    const session = await openIn(createMemoryStore(), 50_000)(asThreadId("t"));
    const item = (type: string, fields: object) => ({ type, id: `${type}_1`, ...fields });
    const said = item("message", { role: "assistant", content: [{ type: "output_text", text: "Then:" }] });
    const call = item("function_call", { call_id: "call-cut-off", name: "read", arguments: '{"pa' });
    const cut = (...items: object[]) =>
      new AIMessage({
        content: [{ type: "text", text: "Then:" }],
        invalid_tool_calls: [{ id: "call-cut-off", name: "read", args: '{"pa' }],
        additional_kwargs: {
          tool_calls: [{ id: "call-cut-off", type: "function", function: { name: "read", arguments: "" } }],
        },
        response_metadata: { incomplete_details: { reason: "max_output_tokens" }, output: items },
      });
    const thought = (id: string) => ({ type: "reasoning", id, summary: [] });
    const model = fakeModel()
      .respond(cut(said, call))
      .respond(cut(thought("rs_1"), said, thought("rs_2"), call));
    const agent = createAgent({ model, tools: [read], middleware: [threadfoldMiddleware({ session })] });
    const last = (await agent.invoke({ messages: [new HumanMessage("go")] })).messages.at(-1);
    expect(JSON.stringify(last)).not.toContain("call-cut-off");
    expect(last?.response_metadata).toMatchObject({ output: [thought("rs_1"), said] });
  });

  it("sends a call whose arguments are no JSON with a result, so that the request is legal", async () => {
    const session = await openIn(createMemoryStore(), 50_000)(asThreadId("t"));
    const model = fakeModel().respond(new AIMessage("Again."));
    const broken = new AIMessage({
      id: "b",
      content: "",
      invalid_tool_calls: [{ id: "c", name: "read", args: "{oops" }],
    });
    const agent = createAgent({ model, tools: [read], middleware: [threadfoldMiddleware({ session })] });
    await agent.invoke({ messages: [new HumanMessage("go"), broken, new HumanMessage("well?")] });
    const [, call, result] = model.calls[0]?.messages ?? [];
    expect((call as AIMessage).tool_calls).toMatchObject([{ id: "c", name: "read", args: { _raw: "{oops" } }]);
    expect(ToolMessage.isInstance(result) && result.tool_call_id).toBe("c");
  });

  it("asks for a thread id where sessions are opened by thread", async () => {
    const agent = createAgent({
      model: fakeModel().respond(new AIMessage("Hi.")),
      middleware: [threadfoldMiddleware({ open: openIn(createMemoryStore()) })],
    });
    await expect(agent.invoke({ messages: [new HumanMessage("hi")] })).rejects.toMatchObject({
      cause: { code: "INVALID_CONFIG" },
    });
  });

  it("keeps at most so many sessions open, and opens them anew", async () => {
    const store = createMemoryStore();
    const opened: string[] = [];
    const open = (threadId: ReturnType<typeof asThreadId>) => {
      opened.push(threadId);
      return openIn(store)(threadId);
    };
    const model = fakeModel();
    for (let call = 0; call < 5; call++) model.respond(new AIMessage("Hi."));
    const middleware = [threadfoldMiddleware({ open, maxOpenSessions: 1 })];
    const agent = createAgent({ model, middleware, checkpointer: new MemorySaver() });
    for (const id of ["a", "a", "b", "a"]) await agent.invoke({ messages: [new HumanMessage("hi")] }, on(id));
    expect(opened).toEqual(["a", "b", "a"]);
    expect((await openIn(store)(asThreadId("a"))).thread.length).toBe(6);
  });

  it("works as the example says", async () => {
    const model = fakeModel();
    for (let turn = 0; turn < 40; turn++) model.respond(new AIMessage(page(`answer ${turn}`)));
    const store = createMemoryStore();
    const agent = agentThatFolds(model, new MemorySaver(), store);
    for (let turn = 0; turn < 40; turn++)
      await agent.invoke({ messages: [new HumanMessage(turn === 0 ? RULE : page(`question ${turn}`))] }, on("t"));
    const session = await ContextSession.open({ threadId: asThreadId("t"), store });
    expect(session.plan.summarizations.length).toBeGreaterThan(0);
    const last = model.calls.at(-1)?.messages ?? [];
    expect(last.length).toBeLessThan(79);
    expect(textsOf(last)).toContain(RULE);
  });
});
