import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { interactionsProtocol } from "./interactions-protocol.ts";
import { startProviderDouble } from "./provider-double.ts";
import type { Body } from "./provider-protocol.ts";

const MODEL = "gemini-3.1-pro-preview";
const user: Body = { type: "user_input", content: [{ type: "text", text: "Go." }] };

describe("the double of the Interactions API", () => {
  let double: Awaited<ReturnType<typeof startProviderDouble>>;
  beforeAll(async () => {
    double = await startProviderDouble({ protocol: interactionsProtocol, contextWindow: 50_000 });
  });
  afterAll(() => double.close());

  async function ask(input: readonly Body[], more: Body = {}) {
    const body = JSON.stringify({ model: MODEL, store: false, input, ...more });
    const response = await fetch(`${double.url}${interactionsProtocol.path}`, { method: "POST", body });
    const answer = (await response.json()) as Body;
    return { status: response.status, answer, said: JSON.stringify(answer["error"] ?? {}) };
  }

  it("answers with steps, and takes its own thoughts back word for word and no others", async () => {
    const { status, answer } = await ask([user]);
    expect([status, answer["status"]]).toEqual([200, "requires_action"]);
    const steps = answer["steps"] as readonly Body[];
    const [thought, ...others] = steps as [Body, ...Body[]];
    expect(steps.map(({ type }) => type)).toEqual(["thought", "model_output", "function_call"]);
    const call = others.at(-1) as Body;
    const result = { type: "function_result", call_id: call["id"], name: call["name"], result: "ok" };
    const refusals: readonly (readonly [string, readonly Body[]])[] = [
      ["missing a thought_signature", [user, ...others, result]],
      ["Invalid `signature`", [user, { ...thought, signature: "b3RoZXI=" }, ...others, result]],
      ["Invalid `signature`", [user, { ...thought, summary: [{ type: "text", text: "Else." }] }, ...others, result]],
      ["the call has no result", [user, thought, ...others, user]],
      [
        "the last step is from the model",
        [user, thought, { type: "model_output", content: [{ type: "text", text: "." }] }],
      ],
    ];
    for (const [problem, input] of refusals) {
      const refused = await ask(input);
      expect([problem, refused.status, refused.said]).toEqual([problem, 400, expect.stringContaining(problem)]);
      expect(refused.said).toContain("INVALID_ARGUMENT");
    }
    expect((await ask([user], { previous_interaction_id: "int_0" })).said).toContain("the interaction is not stored");
    // An older model answers all the same.
    expect((await ask([user, ...others, result], { model: "gemini-2.5-pro" })).status).toBe(200);
    expect((await ask([user, ...steps, result])).status).toBe(200);
    expect(double.figures.illegal).toHaveLength(refusals.length + 1);
  });
});
