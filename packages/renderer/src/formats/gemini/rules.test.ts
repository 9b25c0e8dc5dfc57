import { describe, expect, it } from "vitest";
import { type JointRuleCase, legalityTests, type RuleCase } from "../../testing/legality-tests.ts";
import { gemini } from "./format.ts";

const says = (text: unknown) => ({ text });
const user = (...parts: unknown[]) => ({ role: "user", parts });
const model = (...parts: unknown[]) => ({ role: "model", parts });
const call = (id: string, args: unknown = {}) => ({ functionCall: { id, name: "read", args } });
const signed = (id: string) => ({ ...call(id), thoughtSignature: "c2ln" });
const response = (id: string, value: unknown = { output: "ok" }, name = "read") => ({
  functionResponse: { id, name, response: value },
});
const seen = (id: string) => ({
  functionResponse: {
    ...response(id).functionResponse,
    parts: [{ inlineData: { mimeType: "image/png", data: "AA==" } }],
  },
});
const replied = (output: unknown, displayName?: string) => ({
  functionResponse: {
    ...response("a", { output }).functionResponse,
    ...(displayName !== undefined && { parts: [{ inlineData: { mimeType: "image/png", data: "AA==", displayName } }] }),
  },
});
const unnamed = (field: "functionCall" | "functionResponse", name: string) =>
  field === "functionCall"
    ? { functionCall: { name, args: {} }, thoughtSignature: "c2ln" }
    : { functionResponse: { name, response: { output: "ok" } } };
const go = user(says("go"));
const on = user(says("on"));
const body = (...contents: unknown[]) => ({ contents });
const declaring = (...functionDeclarations: unknown[]) => ({ tools: [{ functionDeclarations }], ...body(go) });

const cases: readonly RuleCase[] = [
  {
    rule: "W2",
    name: "Gemini response with unknown id",
    bad: body(go, user(response("z"))),
    at: "$.contents[1].parts[0]",
    good: body(go, model(signed("z")), user(response("z"))),
  },
  {
    rule: "media-places",
    name: "Gemini response with a picture before the third generation",
    bad: { model: "gemini-2.5-pro", ...body(go, model(signed("a")), user(seen("a"))) },
    at: "$.contents[2].parts[0].functionResponse.parts",
    good: { model: "gemini-3-pro", ...body(go, model(signed("a")), user(seen("a"))) },
  },
  {
    rule: "W9",
    name: "Gemini ends on the model",
    bad: body(go, model(says("done"))),
    at: "$.contents[1]",
    good: body(go, model(says("done")), on),
  },
  {
    rule: "W10",
    name: "Gemini starts on the model",
    bad: body(model(says("hi")), go),
    at: "$.contents[0]",
    good: body(on, model(says("hi")), go),
  },
  {
    rule: "W11",
    name: "Gemini blank text",
    bad: body(user(says(" "))),
    at: "$.contents[0].parts[0]",
    good: body(go, model({ text: "", thoughtSignature: "c2ln" }), on),
  },
  { rule: "W11", name: "Gemini empty part", bad: body(user({})), at: "$.contents[0].parts[0]", good: body(go) },
  {
    rule: "W11",
    name: "Gemini empty image",
    bad: body(user({ inlineData: { mimeType: "image/png", data: "" } })),
    at: "$.contents[0].parts[0]",
    good: body(user({ fileData: { mimeType: "image/png", fileUri: "gs://b/a.png" } })),
  },
  {
    rule: "W11",
    name: "Gemini empty image in a response",
    bad: body(
      go,
      model(signed("a")),
      user({
        functionResponse: {
          ...response("a").functionResponse,
          parts: [{ fileData: { mimeType: "image/png", fileUri: "" } }],
        },
      }),
    ),
    at: "$.contents[2].parts[0]",
    good: body(go, model(signed("a")), user(seen("a"))),
  },
  { rule: "W11", name: "Gemini turn without parts", bad: body(user()), at: "$.contents[0].parts", good: body(go) },
  {
    rule: "response-references",
    name: "a response with the reference of a schema",
    bad: body(go, model(signed("a")), user(replied([{ $ref: "#/$defs/Item" }]))),
    at: "$.contents[2].parts[0].functionResponse.response",
    good: body(go, model(signed("a")), user(replied({ $ref: "a.png" }, "a.png"))),
  },
  {
    rule: "W14",
    name: "Gemini responses of one turn in two",
    bad: body(go, model(signed("a"), call("b")), user(response("a")), user(response("b"))),
    at: "$.contents[1]",
    good: body(go, model(signed("a"), call("b")), user(response("a"), response("b"))),
  },
  {
    rule: "W15",
    name: "Gemini missing signature on the first call of a later step",
    bad: body(go, model(signed("a")), user(response("a")), model(call("b")), user(response("b"))),
    at: "$.contents[3].parts[0].thoughtSignature",
    good: body(go, model(signed("a")), user(response("a")), model(signed("b")), user(response("b"))),
  },
  {
    rule: "W15",
    name: "Gemini signature on the second parallel call alone",
    bad: body(go, model(call("a"), signed("b")), user(response("a"), response("b"))),
    at: "$.contents[1].parts[0].thoughtSignature",
    good: body(go, model(says("look"), signed("a"), call("b")), user(response("a"), response("b"))),
  },
  {
    rule: "W19",
    name: "Gemini arguments that are no object",
    bad: body(go, model({ ...call("a", "x"), thoughtSignature: "c2ln" }), user(response("a"))),
    at: "$.contents[1].parts[0].functionCall.args",
    good: body(go, model({ functionCall: { id: "a", name: "read" }, thoughtSignature: "c2ln" }), user(response("a"))),
  },
  {
    rule: "W19",
    name: "Gemini response that is no object",
    bad: body(go, model(signed("a")), user(response("a", "ok"))),
    at: "$.contents[2].parts[0].functionResponse.response",
    good: body(go, model(signed("a")), user(response("a"))),
  },
  {
    rule: "calls-behind-user",
    name: "calls behind another turn of the model",
    bad: body(go, model(says("look")), model(signed("a")), user(response("a"))),
    at: "$.contents[2]",
    good: body(go, model(says("look"), signed("a")), user(response("a"))),
  },
  {
    rule: "thoughts",
    name: "a thought of the user's",
    bad: body(user({ text: "hm", thought: true })),
    at: "$.contents[0].parts[0]",
    good: body(go, model({ text: "hm", thought: true }), on),
  },
  {
    rule: "roles",
    name: "an unknown role",
    bad: body({ role: "assistant", parts: [says("x")] }),
    at: "$.contents[0].role",
    good: body({ parts: [says("x")] }),
  },
  { rule: "contents", name: "no turn", bad: body(), at: "$.contents", good: { contents: "go" } },
  {
    rule: "tool-names",
    name: "a name that begins with a digit",
    bad: declaring({ name: "7z" }),
    at: "$.tools[0].functionDeclarations[0].name",
    good: declaring({ name: "_7z.read:all" }),
  },
  {
    rule: "result-names",
    name: "a response with the name of another function",
    bad: body(go, model(signed("a")), user(response("a", { output: "ok" }, "bash"))),
    at: "$.contents[2].parts[0]",
    good: body(go, model(signed("a")), user(response("a"))),
  },
  {
    rule: "tool-names-once",
    name: "a function that is declared twice",
    bad: { config: { tools: [{ functionDeclarations: [{ name: "a" }, { name: "a" }] }] }, ...body(go) },
    at: "$.config.tools[0].functionDeclarations[1].name",
    good: declaring({ name: "a" }, { name: "b" }),
  },
  {
    rule: "one-schema",
    name: "a function with two schemas",
    bad: declaring({ name: "a", parameters: {}, parametersJsonSchema: {} }),
    at: "$.tools[0].functionDeclarations[0]",
    good: declaring({ name: "a", parametersJsonSchema: {} }),
  },
  {
    rule: "shape",
    name: "a text that is none",
    bad: body(user(says(1))),
    at: "$.contents",
    good: body(go),
  },
  {
    rule: "shape",
    name: "a user's part of a kind that the API does not have",
    bad: body(user({ type: "text", content: "go" })),
    at: "$.contents[0]",
    // A newer model may write parts of a new kind.
    good: body(go, model({ newKind: {} }), on),
  },
];

/** Payloads that break a rule and with it, by their nature, the number of responses (W14). */
const joint: readonly JointRuleCase[] = [
  {
    rule: "W1",
    name: "Gemini call without response",
    bad: body(go, model(signed("a")), on),
    at: "$.contents[1].parts[0]",
    good: body(go, model(signed("a")), user(response("a")), on),
  },
  {
    rule: "W3",
    name: "Gemini user turn between call and response",
    bad: body(go, model(signed("a")), on, user(response("a"))),
    at: "$.contents[3].parts[0]",
    good: body(go, model(signed("a")), user(response("a")), on),
  },
  {
    rule: "W4",
    name: "Gemini model turn between call and response",
    bad: body(go, model(signed("a")), model(says("so")), user(response("a"))),
    at: "$.contents[3].parts[0]",
    good: body(go, model(says("so"), signed("a")), user(response("a"))),
  },
  {
    rule: "W5",
    name: "Gemini duplicate response id",
    bad: body(go, model(signed("a")), user(response("a"), response("a"))),
    at: "$.contents[2].parts[1]",
    good: body(go, model(signed("a")), user(response("a"))),
  },
  {
    rule: "W6",
    name: "Gemini swapped ids",
    bad: body(go, model(signed("a")), user(response("b")), model(signed("b")), user(response("a"))),
    at: "$.contents[2].parts[0]",
    good: body(go, model(signed("a")), user(response("a")), model(signed("b")), user(response("b"))),
  },
  {
    rule: "W7",
    name: "Gemini parallel calls with one missing response",
    bad: body(go, model(signed("a"), call("b")), user(response("b"))),
    at: "$.contents[1].parts[0]",
    good: body(go, model(signed("a"), call("b")), user(response("b"), response("a"))),
  },
  {
    rule: "W8",
    name: "Gemini response before its call",
    bad: body(go, user(response("a")), model(signed("a")), on),
    at: "$.contents[1].parts[0]",
    good: body(go, model(signed("a")), user(response("a")), on),
  },
  {
    rule: "W14",
    name: "Gemini response count is not the call count",
    bad: body(go, model(signed("a"), call("b")), user(response("a"))),
    at: "$.contents[1]",
    good: body(go, model(signed("a"), call("b")), user(response("a"), response("b"))),
  },
];

const strange: readonly unknown[] = [{ contents: 1 }, { contents: [1, null, { role: "model", parts: [null, 2] }] }];

describe("gemini legality", () => {
  legalityTests(gemini, { cases, joint, strange });

  it("W15 Gemini checks signatures only in the open turn, and only for models from the third generation on", () => {
    const earlier = [go, model(call("a")), user(response("a")), model(says("so"))];
    expect(gemini.check(body(...earlier, on))).toEqual([]);
    const open = body(go, model(call("a")), user(response("a")));
    expect(gemini.check({ model: "models/gemini-3-pro", ...open }).map(({ rule }) => rule)).toEqual(["W15"]);
    expect(gemini.check({ model: "models/gemini-2.5-pro", ...open })).toEqual([]);
  });

  it("W14 Gemini pairs calls and responses without ids by name and order", () => {
    const calls = ["read", "read", "bash"].map((name) => unnamed("functionCall", name));
    const responses = ["bash", "read", "read"].map((name) => unnamed("functionResponse", name));
    expect(gemini.check(body(go, model(...calls), user(...responses)))).toEqual([]);
    const wrong = ["bash", "read", "write"].map((name) => unnamed("functionResponse", name));
    expect(gemini.check(body(go, model(...calls), user(...wrong))).map(({ rule, at }) => [rule, at])).toEqual([
      ["W2", "$.contents[2].parts[2]"],
      ["W7", "$.contents[1].parts[1]"],
    ]);
  });
});
