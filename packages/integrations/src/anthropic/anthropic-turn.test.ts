import Anthropic from "@anthropic-ai/sdk";
import { asMessageId } from "@threadfold/core";
import { pinnedClock } from "@threadfold/core/laws";
import { createMemoryStore } from "@threadfold/stores";
import { describe, expect, it } from "vitest";
import { anthropicAnswer, OVERFLOWS, type ScriptedAnswer, scriptedFetch } from "../testing/doubles.ts";
import { NOON, sessionIn, workedSession } from "../testing/sessions.ts";
import { anthropicTurn, fromAnthropic, toAnthropicRequest } from "./anthropic-turn.ts";

const clock = pinnedClock(NOON);
const params = { model: "claude-x", max_tokens: 100, clock };
const message = anthropicAnswer;
const text = (value: string) => ({ type: "text", text: value });
const toolUse = (id: string) => ({ type: "tool_use", id, name: "read", input: { path: id } });

function clientFor(...answers: readonly ScriptedAnswer[]) {
  const { fetch, ...seen } = scriptedFetch(answers);
  return { client: new Anthropic({ apiKey: "test", fetch, maxRetries: 0 }), ...seen };
}

describe("a loop over the Anthropic SDK", () => {
  it("sends the session's request, and appends the answer with its thinking and usage", async () => {
    const thinking = { type: "thinking", thinking: "Hm.", signature: "c2ln" };
    const { client, bodies } = clientFor(
      { body: message("msg_1", [thinking, toolUse("toolu_1"), toolUse("toolu_2")], "tool_use") },
      { body: message("msg_2", [text("Done.")]) },
    );
    const session = await sessionIn("anthropic-messages");
    const tools: Anthropic.Tool[] = [{ name: "read", description: "Reads.", input_schema: { type: "object" } }];
    const turn = anthropicTurn({ session, client, ...params, system: "Be brief.", tools, metadata: { user_id: "u" } });
    const { calls } = await turn.send("Read both.");
    expect(calls.map(({ id }) => id)).toEqual(["toolu_1", "toolu_2"]);
    const results = calls.map(({ id }) => ({ type: "tool_result" as const, tool_use_id: id, content: `of ${id}` }));
    const { message: last } = await turn.send({ role: "user", content: results });
    expect(last.content).toEqual([text("Done.")]);
    expect(bodies[1]).toMatchObject({
      ...{ model: "claude-x", max_tokens: 100, metadata: { user_id: "u" } },
      system: [{ type: "text", text: "Be brief." }],
      tools: [{ name: "read", description: "Reads." }],
      messages: [
        { role: "user", content: [text("Read both.")] },
        { role: "assistant", content: [thinking, toolUse("toolu_1"), toolUse("toolu_2")] },
        { role: "user", content: [{ tool_use_id: "toolu_1" }, { tool_use_id: "toolu_2" }] },
      ],
    });
    const [, answer] = session.thread.messagesBetween(0);
    expect(answer).toMatchObject({ id: "msg_1", model: "claude-x", usage: { inputTokens: 52, cacheReadTokens: 10 } });
    expect(session.thread.length).toBe(5);
    expect(session.stats().usage).toMatchObject({ inputTokens: 104, outputTokens: 10 });
  });

  it("leaves the mark at the end to the session when both are asked for one, as there may be four", async () => {
    const answers = Array.from({ length: 9 }, (_, step) => message(`m${step}`, [text(`Answer ${step}.`)]));
    for (const cacheBreakpoints of [true, false]) {
      const { client, bodies } = clientFor(...answers.map((body) => ({ body })));
      const session = await sessionIn("anthropic-messages", { cacheBreakpoints });
      const own = { ...params, system: "Be brief.", cache_control: { type: "ephemeral" as const } };
      const turn = anthropicTurn({ session, client, ...own });
      const said = { type: "text" as const, text: "Go on." };
      for (const _ of answers) await turn.send({ role: "user", content: Array.from({ length: 8 }, () => said) });
      const marks = bodies.map((body) => JSON.stringify(body).split('"cache_control"').length - 1);
      expect(Math.max(...marks)).toBe(cacheBreakpoints ? 4 : 1);
    }
  });

  it.each([
    ["claude-haiku-4-5", undefined],
    ["a-name-of-our-own", { type: "enabled", budget_tokens: 1_024 }],
  ] as const)("keeps the thinking of steps that a fold leaves in the tool loop, asking %s", async (model, thinking) => {
    const thought = (step: number) => ({ type: "thinking", thinking: `Thought ${step}.`, signature: `sig${step}` });
    const steps = Array.from({ length: 30 }, (_, step) => ({
      ...message(`m${step}`, [thought(step), toolUse(`t${step}`)], "tool_use"),
      model: `${model}-20251001`,
    }));
    const { client, bodies } = clientFor(...steps.map((body) => ({ body })), { body: message("end", [text("Done.")]) });
    const session = await sessionIn("anthropic-messages", { config: { maxInputTokens: 20_000 } });
    const turn = anthropicTurn({ ...{ session, client, ...params, model }, ...(thinking && { thinking }) });
    let { calls } = await turn.send("Read all.");
    while (calls.length > 0) {
      const results = calls.map(({ id }) => ({
        type: "tool_result" as const,
        tool_use_id: id,
        content: "word ".repeat(900),
      }));
      ({ calls } = await turn.send({ role: "user", content: results }));
    }
    expect(session.plan.version).toBeGreaterThan(0);
    const sent = bodies as unknown as readonly Anthropic.MessageCreateParams[];
    expect(sent.map(({ messages }, step) => messages.at(-2)?.content?.[0] ?? step)).toEqual(
      sent.map((_, step) => (step === 0 ? 0 : thought(step - 1))),
    );
  });

  it("L19 folds and retries once after an overflow", async () => {
    const { client, bodies } = clientFor(OVERFLOWS.anthropic, { body: message("msg_1", [text("Done.")]) });
    const session = await workedSession("anthropic-messages", 20, { config: { maxInputTokens: 40_000 } });
    const turn = anthropicTurn({ session, client, ...params });
    await turn.send("And now?");
    expect(session.plan.version).toBe(1);
    expect(JSON.stringify(bodies[1]).length).toBeLessThan(JSON.stringify(bodies[0]).length);
    expect(JSON.stringify(bodies[1])).toContain("Never touch the vault.");

    const refusing = clientFor(OVERFLOWS.anthropic, OVERFLOWS.anthropic, OVERFLOWS.anthropic);
    const again = anthropicTurn({ session, client: refusing.client, ...params });
    await expect(again.send("And now?")).rejects.toBeInstanceOf(Anthropic.BadRequestError);
    expect(refusing.bodies).toHaveLength(2);
  });

  it("passes on other errors, and appends a repeated message only once", async () => {
    const busy = { status: 529, body: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } } };
    const { client } = clientFor(busy, { body: message("msg_1", [text("Done.")]) });
    const session = await sessionIn("anthropic-messages");
    const turn = anthropicTurn({ session, client, ...params });
    await expect(turn.send("Begin.")).rejects.toThrow("Overloaded");
    await turn.step();
    expect(session.thread.length).toBe(2);
  });

  it("W12 reports the violated rule when thinking begins inside an open tool loop", async () => {
    const { client } = clientFor(
      { body: message("msg_1", [toolUse("toolu_1")], "tool_use") },
      { body: message("msg_2", [text("Done.")]) },
    );
    const session = await sessionIn("anthropic-messages");
    const { violations } = await anthropicTurn({ session, client, ...params }).send("Read it.");
    expect(violations).toEqual([]);
    const thinking = { type: "enabled", budget_tokens: 1_024 } as const;
    const results = [{ type: "tool_result" as const, tool_use_id: "toolu_1", content: "of it" }];
    const switched = await anthropicTurn({ session, client, ...params, thinking }).send({
      role: "user",
      content: results,
    });
    expect(switched.violations).toMatchObject([{ rule: "W12", messageId: "msg_1" }]);
  });

  it("hands over, without appending, a compaction that would replace another writer's message", async () => {
    const store = createMemoryStore({ clock });
    const options = { store, model: "claude-opus-4-6" };
    const [session, other] = [
      await sessionIn("anthropic-messages", options),
      await sessionIn("anthropic-messages", options),
    ];
    const body = message("msg_1", [{ type: "compaction", content: "We began." }, text("Done.")]);
    const { client } = clientFor({ body });
    const create = client.messages.create.bind(client.messages);
    client.messages.create = (async (...request: Parameters<typeof create>) => {
      await other.refresh();
      const createdAt = new Date(NOON).toISOString();
      const parts = [{ type: "text" as const, text: "By the way." }];
      await other.append([{ id: asMessageId("between"), role: "user", createdAt, parts }]);
      return create(...request);
    }) as never;
    const sent = anthropicTurn({ session, client, ...params, model: options.model }).send("Begin.");
    await expect(sent).rejects.toMatchObject({ code: "VERSION_CONFLICT", details: { answer: body } });
  });

  it("appends the message only once when the store fails after writing it", async () => {
    const store = createMemoryStore({ clock });
    const session = await sessionIn("anthropic-messages", { store });
    const { client } = clientFor({ body: message("msg_1", [text("Done.")]) });
    const append = session.append.bind(session);
    session.append = async (...messages) => {
      session.append = append;
      await (await sessionIn("anthropic-messages", { store })).append(...messages);
      throw new Error("The connection was lost.");
    };
    const turn = anthropicTurn({ session, client, ...params });
    await expect(turn.send("Begin.")).rejects.toThrow("connection");
    await turn.send("Begin.").catch(() => session.refresh().then(() => turn.send("Begin.")));
    expect(session.thread.messagesBetween(0).map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  it("reports that a paused model must be asked again", async () => {
    const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } };
    const { client, bodies } = clientFor(
      { body: message("msg_1", [text("I search."), search], "pause_turn") },
      { body: message("msg_2", [text("Done.")]) },
    );
    const turn = anthropicTurn({ session: await sessionIn("anthropic-messages"), client, ...params });
    const { calls, retry } = await turn.send("Begin.");
    expect([calls, retry]).toEqual([[], true]);
    expect((await turn.step()).retry).toBe(false);
    expect(bodies[1]?.["messages"]).toMatchObject([{ role: "user" }, { content: [text("I search."), search] }]);
  });

  it("drops a call that the output limit cut off", async () => {
    const { client } = clientFor({
      body: message("msg_1", [text("I read."), toolUse("a"), toolUse("b")], "max_tokens"),
    });
    const session = await sessionIn("anthropic-messages");
    const { calls } = await anthropicTurn({ session, client, ...params }).send("Begin.");
    expect(calls.map(({ id }) => id)).toEqual(["a"]);
    expect(JSON.stringify(session.thread.messagesBetween(1))).not.toContain('"b"');
  });

  it("passes each stream of the SDK to the host", async () => {
    const { content: _content, usage, ...begun } = message("msg_1", []);
    const { client } = clientFor({
      events: [
        { type: "message_start", message: { ...begun, usage, content: [], stop_reason: null } },
        { type: "content_block_start", index: 0, content_block: text("") },
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Done." } },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage },
        { type: "message_stop" },
      ],
    });
    const session = await sessionIn("anthropic-messages");
    let streamed = "";
    const onStream = (stream: { on(event: "text", hear: (delta: string) => void): unknown }) =>
      stream.on("text", (delta) => (streamed += delta));
    const { message: answer } = await anthropicTurn({ session, client, ...params, onStream }).send("Begin.");
    expect(streamed).toBe("Done.");
    expect(answer.content).toMatchObject([text("Done.")]);
    expect(session.thread.length).toBe(2);
  });

  it("stops on the host's signal without appending an answer", async () => {
    const { client } = clientFor({ body: message("msg_1", [text("Done.")]) });
    const session = await sessionIn("anthropic-messages");
    const signal = AbortSignal.abort(new Error("Enough."));
    await expect(anthropicTurn({ session, client, ...params }).send("Begin.", { signal })).rejects.toThrow();
    expect(session.thread.length).toBe(1);
  });

  it("works with two functions in the host's own loop", async () => {
    const { client, bodies } = clientFor({ body: message("msg_1", [text("Done.")]) });
    const session = await workedSession("anthropic-messages", 1);
    const request = { model: "claude-x", max_tokens: 100, ...toAnthropicRequest(await session.prepare()) };
    const answer = await client.messages.create({ ...request, stream: false });
    const { appended } = await session.complete(fromAnthropic(answer));
    expect(appended).toMatchObject([{ id: "msg_1", parts: [text("Done.")] }]);
    expect(bodies[0]).toMatchObject({ max_tokens: 100, messages: [{ role: "user" }, {}, {}] });
    // The same answer, handed in again after an error whose effect is not known.
    await session.complete(fromAnthropic(answer));
    expect(session.thread.length).toBe(4);
  });

  it("requests betas only if the request asks for compaction by the provider", async () => {
    const answers = [{ body: message("msg_1", [text("Done.")]) }, { body: message("msg_2", [text("Done.")]) }];
    const { client, bodies, betas } = clientFor(...answers);
    const options = { model: "claude-opus-5-5", providerCompaction: { when: "threshold" } } as const;
    await anthropicTurn({ session: await sessionIn("anthropic-messages", options), client, ...params }).send("Begin.");
    await anthropicTurn({ session: await sessionIn("anthropic-messages"), client, ...params }).send("Begin.");
    expect(bodies.map((body) => "context_management" in body)).toEqual([true, false]);
    expect(betas).toEqual(["compact-2026-01-12", null]);
  });

  it("reports the usage of the provider's own compaction", async () => {
    const iterations = [{ type: "compaction", input_tokens: 90_000, output_tokens: 800, cache_read_input_tokens: 10 }];
    const usage = { input_tokens: 500, output_tokens: 9, iterations };
    const answer = { ...message("msg_1", [text("Done.")]), usage } as unknown as Anthropic.Message;
    const session = await workedSession("anthropic-messages", 1);
    await session.prepare();
    await session.complete(fromAnthropic(answer));
    expect((await session.bill()).summaries).toMatchObject([
      { by: "provider", inputTokens: 90_010, outputTokens: 800, cacheReadTokens: 10 },
    ]);
  });
});
