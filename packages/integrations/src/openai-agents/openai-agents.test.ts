import {
  Agent,
  type AgentInputItem,
  type CallModelInputFilter,
  type Model,
  type ModelRequest,
  type ModelResponse,
  Runner,
  type StreamEvent,
  tool,
  Usage,
} from "@openai/agents";
import { asThreadId } from "@threadfold/core";
import { formatById } from "@threadfold/renderer";
import { ContextSession } from "@threadfold/session";
import { createMemoryStore } from "@threadfold/stores";
import { describe, expect, it } from "vitest";
import { conversation } from "../examples/sdk-loops.ts";
import { createCallModelInputFilter, ThreadProjection } from "./thread-projection.ts";

const RULE = "Never edit config/production.yaml without asking me first.";
const page = (name: string): string => `${name}: ${"a line of the file that says little. ".repeat(40)}`;

const read = tool({
  name: "read",
  description: "Reads a file.",
  parameters: {
    type: "object" as const,
    properties: { path: { type: "string" as const } },
    required: ["path"],
    additionalProperties: false as const,
  },
  execute: (input) => page((input as { readonly path: string }).path),
});
const agent = new Agent({ name: "reader", instructions: "Be careful.", tools: [read] });

type Answer = Error | ModelResponse["output"];
const says = (text: string): ModelResponse["output"] => [
  { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text }] },
];
const calls = (id: number): ModelResponse["output"] => [
  { type: "reasoning", id: `rs_${id}`, content: [], providerData: { encrypted_content: `sealed-${id}` } },
  {
    type: "function_call",
    id: `fc_${id}`,
    callId: `c${id}`,
    name: "read",
    arguments: `{"path":"file-${id}"}`,
    status: "completed",
  },
];

/** A model that gives these answers one after the other. */
class ScriptedModel implements Model {
  readonly requests: ModelRequest[] = [];
  readonly #answers: Answer[];

  constructor(answers: readonly Answer[]) {
    this.#answers = [...answers];
  }

  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    this.requests.push(request);
    const output = this.#answers.shift() ?? says("Done.");
    if (output instanceof Error) throw output;
    return { output, usage: new Usage({ requests: 1, inputTokens: 100, outputTokens: 10, totalTokens: 110 }) };
  }

  async *getStreamedResponse(request: ModelRequest): AsyncIterable<StreamEvent> {
    const { output } = await this.getResponse(request);
    const usage = { inputTokens: 100, outputTokens: 10, totalTokens: 110, inputTokensDetails: { cached_tokens: 40 } };
    yield { type: "response_started" };
    yield { type: "response_done", response: { id: "r", output, usage } } as StreamEvent;
  }

  get newest(): readonly AgentInputItem[] {
    const input = this.requests.at(-1)?.input;
    return typeof input === "string" ? [] : (input ?? []);
  }
}

const open = (maxInputTokens: number) =>
  ContextSession.open({
    threadId: asThreadId("t"),
    format: formatById("openai-responses"),
    config: { maxInputTokens },
  });

async function runnerOver(model: ScriptedModel, maxInputTokens: number) {
  const session = await open(maxInputTokens);
  const projection = new ThreadProjection({ session });
  const { callModelInputFilter } = projection;
  const modelProvider = projection.modelProvider({ getModel: () => model });
  return { session, runner: new Runner({ callModelInputFilter, modelProvider, tracingDisabled: true }) };
}

const tooLong = () =>
  Object.assign(
    new Error("This model's maximum context length is 8000 tokens. However, your messages resulted in 9000 tokens."),
    {
      status: 400,
      code: "context_length_exceeded",
    },
  );

describe("the filter for the model's input", () => {
  it("sends each of two runs at once its own conversation", async () => {
    const session = await open(3_000);
    const projection = new ThreadProjection({ session });
    const { callModelInputFilter } = projection;
    const models = ["first", "second"].map((task, index) => {
      const model = new ScriptedModel(Array.from({ length: 12 }, (_, id) => calls(id + 100 * index)));
      const modelProvider = projection.modelProvider({ getModel: () => model });
      const runner = new Runner({ callModelInputFilter, modelProvider, tracingDisabled: true });
      return { task, model, run: runner.run(agent, `Do the ${task} task. ${RULE}`, { maxTurns: 20 }) };
    });
    await Promise.all(models.map(({ run }) => run));
    for (const { task, model } of models) {
      expect(model.requests).toHaveLength(13);
      const other = task === "first" ? "second" : "first";
      for (const { input } of model.requests) {
        expect(JSON.stringify(input)).toContain(`Do the ${task} task.`);
        expect(JSON.stringify(input)).not.toContain(`Do the ${other} task.`);
      }
    }
  });

  it("folds what the model is sent, and leaves the run's own history as it is", async () => {
    const model = new ScriptedModel([...Array.from({ length: 12 }, (_, id) => calls(id)), says("Done.")]);
    const { session, runner } = await runnerOver(model, 3_000);
    const { history, finalOutput } = await runner.run(agent, `Read all. ${RULE}`, { maxTurns: 20 });
    expect(finalOutput).toBe("Done.");
    expect(history).toHaveLength(1 + 12 * 3 + 1);
    expect(session.plan.version).toBeGreaterThan(0);
    expect(model.newest.length).toBeLessThan(37);
    expect(JSON.stringify(model.newest)).toContain(RULE);
    expect(model.requests.at(-1)?.systemInstructions).toBe("Be careful.");
    expect(session.stats().usage.inputTokens).toBe(1_300);
    expect((await session.replay()).every(({ equal }) => equal)).toBe(true);
  });

  it("hands the host's own items through where nothing is folded", async () => {
    const model = new ScriptedModel([calls(0), says("Done.")]);
    const session = await open(50_000);
    const callModelInputFilter = createCallModelInputFilter({ session });
    const runner = new Runner({
      callModelInputFilter,
      modelProvider: { getModel: () => model },
      tracingDisabled: true,
    });
    const { history } = await runner.run(agent, "Read it.");
    expect(model.newest).toEqual(history.slice(0, -1));
    expect([...session.thread.messages].map(({ role, parts }) => [role, ...parts.map(({ type }) => type)])).toEqual([
      ["user", "text"],
      ["assistant", "reasoning", "tool-call"],
      ["tool", "tool-result"],
    ]);
  });

  it("sends a call of a namespace as one of that namespace where something else of its message is left out", async () => {
    // Reasoning that the provider stores has no encrypted content, and is not sent.
    const thought: AgentInputItem = { type: "reasoning", id: "rs_1", content: [] };
    const call = { type: "function_call", callId: "c1", name: "orders", namespace: "crm", arguments: "{}" } as const;
    const result = { type: "function_call_result", callId: "c1", name: "orders", status: "completed" } as const;
    const input: AgentInputItem[] = [
      { role: "user", content: "Look." },
      thought,
      { ...call, status: "completed" },
      { ...result, namespace: "crm", output: "none" },
    ];
    const filter = createCallModelInputFilter({ session: await open(50_000) });
    const args = { modelData: { input }, agent, context: undefined } as unknown as Parameters<CallModelInputFilter>[0];
    const shown = await filter(args);
    expect(shown.input.map(({ type }) => type)).toEqual([undefined, "function_call", "function_call_result"]);
    expect(shown.input[1]).toMatchObject(call);
    expect(await filter(args)).toEqual(shown);
  });
});

describe("a model of the projection", () => {
  const long = Array.from(
    { length: 9 },
    (_, turn): AgentInputItem => ({ role: "user", content: page(`note ${turn}`) }),
  );

  it.each([false, true])("folds and asks once more after an overflow, streamed: %s", async (stream) => {
    const model = new ScriptedModel([tooLong(), says("Done.")]);
    const { session, runner } = await runnerOver(model, 50_000);
    if (stream) await (await runner.run(agent, long, { stream: true })).completed;
    else await runner.run(agent, long);
    const [first, second] = model.requests.map(({ input }) => JSON.stringify(input).length);
    expect(model.requests).toHaveLength(2);
    expect(second).toBeLessThan(first ?? 0);
    expect(session.stats().usage.inputTokens).toBe(100);
  });

  it("repeats, after an overflow, the request of its own run, and reports usage to that run's thread", async () => {
    const session = await open(50_000);
    const projection = new ThreadProjection({ session });
    const { callModelInputFilter } = projection;
    const [refused, other] = [new ScriptedModel([tooLong()]), new ScriptedModel([])];
    const runnerOf = (model: Model) =>
      new Runner({
        ...{ callModelInputFilter, tracingDisabled: true },
        modelProvider: projection.modelProvider({ getModel: () => model }),
      });
    // The other run goes from beginning to end while the model looks at the first request of this one.
    const slow = new ScriptedModel([]);
    slow.getResponse = async (request) => {
      if (refused.requests.length === 0) await runnerOf(other).run(agent, "The other task.");
      return refused.getResponse(request);
    };
    await runnerOf(slow).run(agent, [{ role: "user", content: RULE }, ...long]);
    expect(refused.requests).toHaveLength(2);
    for (const { input } of refused.requests) {
      expect(JSON.stringify(input)).toContain(RULE);
      expect(JSON.stringify(input)).not.toContain("The other task.");
    }
    expect(session.stats().usage.inputTokens).toBe(100);
  });

  it("keeps two runs at once apart that end with the same item", async () => {
    const session = await open(50_000);
    const projection = new ThreadProjection({ session });
    const models = [new ScriptedModel([tooLong()]), new ScriptedModel([tooLong()])];
    const inputs = [RULE, "The other task."].map((content): AgentInputItem[] => [{ role: "user", content }, ...long]);
    // Both requests are prepared before either is sent.
    let prepared = 0;
    const callModelInputFilter: CallModelInputFilter = async (args) => {
      const shown = await projection.callModelInputFilter(args);
      for (prepared++; prepared < 2; ) await new Promise((resolve) => setTimeout(resolve, 1));
      return shown;
    };
    await Promise.all(
      models.map((model, index) =>
        new Runner({
          ...{ callModelInputFilter, tracingDisabled: true },
          modelProvider: projection.modelProvider({ getModel: () => model }),
        }).run(agent, inputs[index] as AgentInputItem[]),
      ),
    );
    for (const [index, words] of [RULE, "The other task."].entries()) {
      expect(models[index]?.requests).toHaveLength(2);
      for (const { input } of models[index]?.requests ?? []) expect(JSON.stringify(input)).toContain(words);
    }
  });

  it("lets an overflow through that comes again", async () => {
    const model = new ScriptedModel([tooLong(), tooLong(), tooLong(), tooLong()]);
    const { runner } = await runnerOver(model, 50_000);
    await expect(runner.run(agent, long)).rejects.toThrow("maximum context length");
    expect(model.requests.length).toBeLessThan(4);
  });

  it("asks once more for an answer that the output limit cut off, and no more", async () => {
    const cut = () =>
      new Error('OpenAI Responses request ended with unsuccessful terminal state "response.incomplete".');
    const healed = await runnerOver(new ScriptedModel([cut(), says("Whole.")]), 50_000);
    expect((await healed.runner.run(agent, "go")).finalOutput).toBe("Whole.");
    const model = new ScriptedModel([cut(), cut(), cut()]);
    await expect((await runnerOver(model, 50_000)).runner.run(agent, "go")).rejects.toThrow("incomplete");
    expect(model.requests).toHaveLength(2);
  });

  it("leaves other errors to the runner", async () => {
    const model = new ScriptedModel([new Error("no such model")]);
    await expect((await runnerOver(model, 50_000)).runner.run(agent, "go")).rejects.toThrow("no such model");
    expect(model.requests).toHaveLength(1);
  });
});

it("the example keeps items and folds what is sent, turn after turn", async () => {
  const model = new ScriptedModel([]);
  const store = createMemoryStore();
  const { say, projection, items } = await conversation("talk", store, { getModel: () => model });
  for (let turn = 0; turn < 130; turn++) await say(turn === 0 ? RULE : page(`question ${turn}`));
  expect(await items.getItems()).toHaveLength(260);
  expect(projection.session.plan.version).toBeGreaterThan(0);
  expect(model.newest.length).toBeLessThan(259);
  expect(JSON.stringify(model.newest)).toContain(RULE);
});
