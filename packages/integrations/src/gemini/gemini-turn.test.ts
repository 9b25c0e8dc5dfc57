import { GoogleGenAI } from "@google/genai";
import { pinnedClock } from "@threadfold/core/laws";
import { formatById } from "@threadfold/renderer";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type ScriptedAnswer, scriptedFetch } from "../testing/doubles.ts";
import { NOON, sessionIn, workedSession } from "../testing/sessions.ts";
import { fromGemini, geminiTurn, threadfoldFunctions, toGeminiRequest } from "./gemini-turn.ts";

const clock = pinnedClock(NOON);
const model = "gemini-2.5-pro";

afterEach(() => vi.unstubAllGlobals());

/** Google's own client; it has no place for a `fetch` but the global one. */
function clientFor(...answers: readonly ScriptedAnswer[]) {
  const { fetch, bodies } = scriptedFetch(answers);
  vi.stubGlobal("fetch", fetch);
  return { client: new GoogleGenAI({ apiKey: "test" }), bodies };
}

const usageMetadata = {
  ...{ promptTokenCount: 50, candidatesTokenCount: 5, thoughtsTokenCount: 2, cachedContentTokenCount: 10 },
};
const response = (responseId: string, parts: readonly object[], finishReason = "STOP") => ({
  candidates: [{ content: { role: "model", parts }, finishReason, index: 0 }],
  ...{ usageMetadata, modelVersion: model, responseId },
});
const call = (name: string, args: object, more: object = {}) => ({ functionCall: { name, args }, ...more });

describe("a loop over Gemini", () => {
  it("sends what the session makes and gives thoughts and signatures back as they came", async () => {
    const thought = { text: "I look.", thought: true, thoughtSignature: "dGg=" };
    const { client, bodies } = clientFor(
      { body: response("r_1", [thought, call("read", { path: "a" }, { thoughtSignature: "c2k=" }), call("grep", {})]) },
      { body: response("r_2", [{ text: "Done." }]) },
    );
    const session = await sessionIn("gemini");
    const turn = geminiTurn({
      ...{ session, client, model, clock },
      config: {
        ...{ systemInstruction: "Be brief.", temperature: 0.5 },
        tools: [{ functionDeclarations: [{ name: "read" }, { name: "grep" }] }, { googleSearch: {} }],
      },
    });
    const { calls } = await turn.send("Read it.");
    expect(calls).toMatchObject([
      { id: "r_1-1", name: "read", args: { path: "a" } },
      { id: "r_1-2", name: "grep" },
    ]);
    const results = calls.map(({ id, name }) => ({
      functionResponse: { id, name, response: { output: `of ${name}` } },
    }));
    const { text } = await turn.send(results as never);
    expect(text).toBe("Done.");
    expect(bodies[1]).toMatchObject({
      systemInstruction: { parts: [{ text: "Be brief." }] },
      generationConfig: { temperature: 0.5 },
      tools: [{ functionDeclarations: [{ name: "read" }, { name: "grep" }] }, { googleSearch: {} }],
      contents: [
        { role: "user", parts: [{ text: "Read it." }] },
        {
          role: "model",
          parts: [
            thought,
            { functionCall: { name: "read" }, thoughtSignature: "c2k=" },
            { functionCall: { name: "grep" } },
          ],
        },
        {
          role: "user",
          parts: [
            { functionResponse: { name: "read", response: { output: "of read" } } },
            { functionResponse: { name: "grep", response: { output: "of grep" } } },
          ],
        },
      ],
    });
    expect(session.thread.messagesBetween(1, 2)[0]).toMatchObject({
      ...{ id: "r_1", model },
      usage: { inputTokens: 50, outputTokens: 7, cacheReadTokens: 10, reasoningTokens: 2 },
    });
  });

  it("tells of each thought that Google did not sign once", async () => {
    const answers = [1, 2, 3].map((number) => ({
      body: response(`r_${number}`, [{ text: `Hm ${number}.`, thought: true }, { text: "Yes." }]),
    }));
    const { client } = clientFor(...answers);
    const session = await sessionIn("gemini");
    const turn = geminiTurn({ session, client, model, clock });
    const told: unknown[] = [];
    for (const text of ["First?", "Second?", "Third?"]) told.push((await turn.send(text)).warnings);
    const notSigned = (id: string) => [{ kind: "reasoning-left-out", reason: "not-signed", messageIds: [id] }];
    expect(told).toEqual([[], notSigned("r_1"), notSigned("r_2")]);
  });

  it("puts the chunks of a stream together and shows each of them", async () => {
    const chunk = (parts: readonly object[], more: object = {}) => ({
      ...{ candidates: [{ content: { role: "model", parts } }], responseId: "r_1" },
      ...more,
    });
    const { client } = clientFor({
      events: [
        chunk([{ text: "Hm", thought: true }]),
        chunk([{ text: "m.", thought: true }]),
        chunk([{ text: "I re" }]),
        chunk([{ text: "ad." }]),
        { ...response("r_1", [call("read", {}, { thoughtSignature: "c2k=" })]) },
      ],
    });
    const session = await sessionIn("gemini");
    const heard: unknown[] = [];
    const turn = geminiTurn({ ...{ session, client, model, clock }, onChunk: (one) => heard.push(one) });
    const { calls, text } = await turn.send("Read.");
    expect([heard.length, calls.length, text]).toEqual([5, 1, "I read."]);
    expect(session.thread.messagesBetween(1, 2)[0]?.parts).toMatchObject([
      { type: "reasoning", text: "Hmm." },
      { type: "text", text: "I read." },
      { type: "tool-call", toolName: "read", providerMetadata: { google: { thoughtSignature: "c2k=" } } },
    ]);
  });

  it.each([
    ["breaks off", [{ candidates: [{ content: { role: "model", parts: [call("read", {})] } }], responseId: "r_1" }]],
    ["says nothing", []],
    [
      "ends in an error",
      [
        { candidates: [{ content: { role: "model", parts: [{ text: "I re" }] } }] },
        { error: { code: 503, status: "UNAVAILABLE", message: "The model is overloaded." } },
      ],
    ],
  ])("takes no answer from a stream that %s", async (_, events) => {
    const { client } = clientFor({ events });
    const session = await sessionIn("gemini");
    await expect(geminiTurn({ session, client, model, clock, onChunk: () => {} }).send("Read.")).rejects.toThrow(
      /overloaded|ended before/,
    );
    expect(session.thread.length).toBe(1);
  });

  it.each([
    ["at once", undefined],
    ["in a stream", () => {}],
  ])("says why Google blocked a prompt, %s", async (_, onChunk) => {
    const blocked = { promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, usageMetadata, modelVersion: model };
    const { client } = clientFor(onChunk === undefined ? { body: blocked } : { events: [blocked] });
    const session = await sessionIn("gemini");
    const turn = geminiTurn({ ...{ session, client, model, clock }, ...(onChunk && { onChunk }) });
    await expect(turn.send("Begin.")).rejects.toMatchObject({
      ...{ code: "MODEL_CALL_FAILED", message: expect.stringContaining("PROHIBITED_CONTENT"), retryable: false },
      ...{ details: { kind: "rejected" }, cause: { promptFeedback: blocked.promptFeedback } },
    });
    expect(session.thread.length).toBe(1);
  });

  it("sends tools of Google that stand beside function declarations", async () => {
    const { client, bodies } = clientFor({ body: response("r_1", [{ text: "Done." }]) });
    const tools = [{ functionDeclarations: [{ name: "read" }], googleSearch: {} }];
    await geminiTurn({ session: await sessionIn("gemini"), client, model, clock, config: { tools } }).send("Look.");
    expect(bodies[0]?.["tools"]).toMatchObject([{ functionDeclarations: [{ name: "read" }] }, { googleSearch: {} }]);
  });

  it("gives back a signature that came on an empty text", async () => {
    const signed = { text: "", thoughtSignature: "c2k=" };
    const { client, bodies } = clientFor(
      { body: response("r_1", [{ text: "Done." }, signed]) },
      { body: response("r_2", [{ text: "Yes." }]) },
    );
    const turn = geminiTurn({ session: await sessionIn("gemini"), client, model, clock });
    await turn.send("Begin.");
    const { violations, warnings } = await turn.send("Sure?");
    expect(bodies[1]).toMatchObject({ contents: [{}, { parts: [{ text: "Done." }, signed] }, {}] });
    expect([violations, warnings]).toEqual([[], []]);
  });

  it("leaves out an empty text whose signature is another model's", async () => {
    const signed = { text: "", thoughtSignature: "c2k=" };
    const { client, bodies } = clientFor(
      { body: { ...response("r_1", [{ text: "Done." }, signed]), modelVersion: "gemini-3-pro-preview" } },
      { body: response("r_2", [{ text: "Yes." }]) },
    );
    const turn = geminiTurn({ session: await sessionIn("gemini", { model }), client, model, clock });
    await turn.send("Begin.");
    expect((await turn.send("Sure?")).violations).toEqual([]);
    expect(bodies[1]).toMatchObject({ contents: [{}, { parts: [{ text: "Done." }] }, {}] });
  });

  it("L19 folds and asks once more when the request is refused as too long, and stays legal", async () => {
    const message = "The input token count (9000) exceeds the maximum number of tokens allowed (8000).";
    const { client, bodies } = clientFor(
      { status: 400, body: { error: { code: 400, status: "INVALID_ARGUMENT", message } } },
      { body: response("r_1", [{ text: "Done." }]) },
    );
    const session = await workedSession("gemini", 20, { config: { maxInputTokens: 40_000 } });
    await geminiTurn({ session, client, model, clock }).send("And now?");
    expect(session.plan.version).toBe(1);
    expect(JSON.stringify(bodies[1]).length).toBeLessThan(JSON.stringify(bodies[0]).length);
    const { contents } = bodies[1] as { contents: never };
    expect(formatById("gemini").check({ contents })).toEqual([]);
  });

  it("answers what the model reads of the folded, and leaves out a call that was cut off", async () => {
    const { client, bodies } = clientFor(
      { body: response("r_1", [call("search_thread", { query: "step 1" })]) },
      { body: response("r_2", [call("read", {}), call("read", {})], "MAX_TOKENS") },
    );
    const session = await workedSession("gemini", 2);
    const functionDeclarations = [...threadfoldFunctions(session), { name: "read" }];
    const turn = geminiTurn({ ...{ session, client, model, clock }, config: { tools: [{ functionDeclarations }] } });
    const { calls } = await turn.send("What was step 1?");
    expect(JSON.stringify(bodies[1])).toContain("step 1: output");
    expect(calls.map(({ id }) => id)).toEqual(["r_2-0"]);
  });

  it("works in two functions for a loop of one's own", async () => {
    const { client } = clientFor({ body: response("r_1", [{ text: "Done." }]) });
    const session = await workedSession("gemini", 1);
    const answer = await client.models.generateContent({ model, ...toGeminiRequest(await session.prepare()) });
    const { appended } = await session.complete(fromGemini(answer));
    expect(appended).toMatchObject([{ id: "r_1", parts: [{ type: "text", text: "Done." }] }]);
    expect(() => fromGemini({ candidates: [] })).toThrow(expect.objectContaining({ code: "INVALID_MESSAGE" }));
  });
});
