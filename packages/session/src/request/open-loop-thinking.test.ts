import type { MessageInput } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { anthropicMessages } from "@threadfold/renderer";
import { createMemoryStore } from "@threadfold/stores";
import { ladderPreset, threadfoldPreset } from "@threadfold/strategies";
import type { RequestFrame } from "@threadfold/turn";
import { describe, expect, it } from "vitest";
import type { PreparedRequest } from "../host/prepared-request.ts";
import { callOf, openSession, resultOf, threadId } from "../testing/agent-work.ts";

const tools = [{ name: "bash", inputSchema: { type: "object" } }];
const thinking = { type: "enabled", budget_tokens: 2_000 };
const STEPS = 60;

/** A step of an agent that thinks before each call. */
const thoughtful = (index: number): MessageInput => {
  const call = callOf(index);
  const thought = { type: "reasoning", text: `Step ${index} is next. `.repeat(20), provider: "anthropic" } as const;
  return { ...call, parts: [{ ...thought, signature: `c2ln${index}` }, ...call.parts] };
};

interface Block {
  readonly type: string;
  readonly signature?: string;
}

const turnsOf = ({ payload }: PreparedRequest) =>
  payload["messages"] as unknown as readonly { readonly role: string; readonly content: readonly Block[] }[];

const lastAssistant = (request: PreparedRequest) => turnsOf(request).findLast(({ role }) => role === "assistant");

interface Run {
  readonly model: string | undefined;
  readonly host?: NonNullable<RequestFrame["host"]>;
  readonly preset?: typeof ladderPreset;
  /** The run goes on in a new session from this step on. */
  readonly restartAt?: number;
}

/** One user message and sixty steps, each asked for by a request of its own. */
async function run({ model, host, preset = ladderPreset, restartAt }: Run): Promise<readonly PreparedRequest[]> {
  const store = createMemoryStore();
  const frame = { system: ["You are an agent."], tools, ...(host !== undefined && { host }) };
  const open = () =>
    openSession({
      store,
      preset,
      format: anthropicMessages,
      config: { maxInputTokens: 12_000, costModelEnabled: false, softThresholdPercent: 0.8, targetPercent: 0.4 },
      ...(model !== undefined && { model }),
      frame,
    });
  let session = await open();
  await session.append([message("u0", "user", "Build it, all of it.")]);
  const requests = [await session.prepare()];
  for (let step = 0; step < STEPS; step++) {
    if (step === restartAt) session = await open();
    await session.append([thoughtful(step)]);
    await session.append([resultOf(step, 700)]);
    requests.push(await session.prepare());
  }
  const replayed = await session.replay();
  expect(replayed.map(({ equal }) => equal)).toEqual(requests.map(() => true));
  return requests;
}

const plansOf = (requests: readonly PreparedRequest[]) => new Set(requests.map(({ plan }) => plan.version));

/** Between two plans a request holds what the one before it did, word for word. */
function expectGrowth(requests: readonly PreparedRequest[]): void {
  for (const [index, request] of requests.entries()) {
    const before = requests[index - 1];
    if (before === undefined || before.plan.version !== request.plan.version) continue;
    const sent = before.request.messages.filter(({ synthetic }) => synthetic !== "continuation");
    expect(request.request.messages.slice(0, sent.length)).toEqual(sent);
  }
}

const lint = (request: PreparedRequest, model: string | undefined, more: object) =>
  anthropicMessages.check({ ...request.payload, ...(model !== undefined && { model }), ...more });

describe("an agent that thinks before every call and is folded in mid-run", () => {
  const runs: readonly Run[] = [
    { model: "claude-sonnet-4-5" },
    { model: "claude-haiku-4-5" },
    { model: "claude-opus-4-5" },
    { model: "claude-opus-4-5", preset: threadfoldPreset },
    { model: "claude-opus-4-8" },
    { model: undefined, host: { thinking } },
  ];
  it.each(runs)("W12 the agent gets its newest thinking back in every request: $model", async (one) => {
    const requests = await run(one);
    expect(plansOf(requests).size).toBeGreaterThan(3);
    for (const request of requests.slice(1)) {
      expect(request.violations).toEqual([]);
      expect(lint(request, one.model, { thinking })).toEqual([]);
      expect(lastAssistant(request)?.content[0]?.type).toBe("thinking");
    }
    expectGrowth(requests);
  });

  it.each([{ model: "claude-opus-5-5" }, { model: undefined }])(
    "W13 the agent gets back its thinking since the fold when thinking is bound to the prefix: $model",
    async ({ model }) => {
      const requests = await run({ model });
      expect(plansOf(requests).size).toBeGreaterThan(3);
      for (const [index, request] of requests.entries()) {
        expect(request.violations).toEqual([]);
        expect(lint(request, model, {})).toEqual([]);
        if (index === 0) continue;
        const isFolded = requests[index - 1]?.plan.version !== request.plan.version;
        expect(lastAssistant(request)?.content[0]?.type).toBe(isFolded ? "tool_use" : "thinking");
      }
      expectGrowth(requests);
    },
  );

  it.each(["claude-sonnet-4-5", "claude-opus-5-5"])("sends the same bytes from a new process: %s", async (model) => {
    const whole = await run({ model });
    for (const restartAt of [25, 43]) {
      const parted = await run({ model, restartAt });
      expect(parted.map(({ digest }) => digest)).toEqual(whole.map(({ digest }) => digest));
    }
  });

  it("folds between loops rather than inside one when thinking is bound to the prefix, within its room", async () => {
    const open = (model: string) =>
      openSession({
        ...{ store: createMemoryStore(), preset: threadfoldPreset, format: anthropicMessages, model },
        config: { maxInputTokens: 20_000, expectedCallsPrior: 1_000, softThresholdPercent: 0.6 },
        frame: { system: ["You are an agent."], tools },
      });
    const folds = { "claude-opus-5-5": { inside: 0, between: 0 }, "claude-opus-4-5": { inside: 0, between: 0 } };
    for (const [model, counted] of Object.entries(folds)) {
      const session = await open(model);
      for (let step = 0; step < 80; step++) {
        if (step % 8 === 0) await session.append([message(`u${step}`, "user", "Go on with the next one.")]);
        else await session.append([thoughtful(step), resultOf(step, 500)]);
        const { outcome, overBudget } = await session.prepare();
        expect(overBudget).toBe(false);
        if (outcome?.type === "postponed") expect(outcome.reason).toContain("open tool loop");
        if (outcome?.type === "committed") counted[step % 8 === 0 ? "between" : "inside"]++;
      }
    }
    expect(folds["claude-opus-5-5"].inside).toBe(0);
    expect(folds["claude-opus-5-5"].between).toBeGreaterThan(1);
    expect(folds["claude-opus-4-5"].inside).toBeGreaterThan(0);
  });

  it("reports thinking that the host's fields forbid to leave out, and a forced tool", async () => {
    const session = await openSession({ format: anthropicMessages });
    await session.append([message("u0", "user", "Build it."), callOf(0), resultOf(0, 10)]);
    const frame = { system: [], tools };
    expect((await session.prepare({ frame })).violations).toEqual([]);
    const host = { thinking, toolChoice: { type: "any" } };
    const told = await session.prepare({ frame: { ...frame, host } });
    expect(told.violations.map(({ rule }) => rule)).toEqual(["W12", "thinking-tool-choice"]);
    expect(told.payload).not.toHaveProperty("thinking");
    expect(session.threadId).toBe(threadId);
    expect((await session.replay()).every(({ equal }) => equal)).toBe(true);
  });
});
