import { describe } from "vitest";
import { type JointRuleCase, legalityTests, type RuleCase } from "../../testing/legality-tests.ts";
import { geminiInteractions } from "./format.ts";

const says = (text: unknown) => ({ type: "text", text });
const user = (...content: unknown[]) => ({ type: "user_input", content });
const model = (...content: unknown[]) => ({ type: "model_output", content });
const call = (id: string, more: object = {}) => ({ type: "function_call", id, name: "read", arguments: {}, ...more });
const result = (id: string, value: unknown = "ok") => ({
  type: "function_result",
  call_id: id,
  name: "read",
  result: value,
});
const thought = (signature?: string) => ({ type: "thought", ...(signature !== undefined && { signature }) });
const searched = { type: "google_search_call", id: "s", arguments: { queries: ["x"] } };
const hits = { type: "google_search_result", call_id: "s", result: [] };
const picture = [{ type: "image", data: "AA==", mime_type: "image/png" }];
const go = user(says("go"));
const on = user(says("on"));
const body = (...input: unknown[]) => ({ store: false, input });
const declaring = (...tools: unknown[]) => ({ tools, ...body(go) });
const named = (name: string) => ({ type: "function", name });

const cases: readonly RuleCase[] = [
  {
    rule: "W1",
    name: "call without result",
    bad: body(go, call("a"), on),
    at: "$.input[1]",
    good: body(go, call("a"), result("a")),
  },
  {
    rule: "W2",
    name: "result with unknown id",
    bad: body(go, result("z")),
    at: "$.input[1]",
    good: body(go, call("z"), result("z")),
  },
  {
    rule: "W3",
    name: "user between call and result",
    bad: body(go, call("a"), on, result("a")),
    at: "$.input[3]",
    good: body(go, call("a"), result("a"), on),
  },
  {
    rule: "W5",
    name: "call answered twice",
    bad: body(go, call("a"), result("a"), result("a")),
    at: "$.input[3]",
    good: body(go, call("a"), result("a")),
  },
  {
    rule: "W7",
    name: "one of a batch unanswered",
    bad: body(go, call("a"), call("b"), result("a")),
    at: "$.input[2]",
    good: body(go, call("a"), call("b"), result("a"), result("b")),
  },
  {
    rule: "W9",
    name: "ends on the model",
    bad: body(go, model(says("done"))),
    at: "$.input[1]",
    good: body(go, model(says("done")), on),
  },
  {
    rule: "W10",
    name: "starts on the model",
    bad: body(model(says("hi")), go),
    at: "$.input[0]",
    good: body(on, model(says("hi")), go),
  },
  { rule: "W11", name: "blank text", bad: body(user(says(" "))), at: "$.input[0].content[0]", good: body(go) },
  {
    rule: "W11",
    name: "empty image",
    bad: body(user({ type: "image", data: "", mime_type: "image/png" })),
    at: "$.input[0].content[0]",
    good: body(user(...picture)),
  },
  {
    rule: "W11",
    name: "empty document in a result",
    bad: body(go, call("a"), result("a", [{ type: "document", uri: "", mime_type: "application/pdf" }])),
    at: "$.input[2].result[0]",
    good: body(go, call("a"), result("a", picture)),
  },
  { rule: "W11", name: "nothing said", bad: body(go, model(), on), at: "$.input[1]", good: body(go, on) },
  {
    rule: "W19",
    name: "arguments that are text",
    bad: body(go, call("a", { arguments: "{}" }), result("a")),
    at: "$.input[1].arguments",
    good: body(go, call("a"), result("a")),
  },
  {
    rule: "thoughts",
    name: "thought without signature",
    bad: body(go, thought(), call("a"), result("a")),
    at: "$.input[1].signature",
    good: body(go, thought("c2ln"), call("a"), result("a")),
  },
  {
    rule: "call-id-once",
    name: "id used again",
    bad: body(go, call("a"), result("a"), call("a"), result("a")),
    at: "$.input[3].id",
    good: body(go, call("a"), result("a"), call("b"), result("b")),
  },
  {
    rule: "server-tools",
    name: "hosted call without result",
    bad: body(go, searched, model(says("found")), on),
    at: "$.input[1]",
    good: body(go, searched, hits, model(says("found")), on),
  },
  {
    rule: "server-tools",
    name: "hosted result alone",
    bad: body(go, hits, on),
    at: "$.input[1]",
    good: body(go, searched, hits, on),
  },
  {
    rule: "media-places",
    name: "result with a picture before the third generation",
    bad: { model: "gemini-2.5-pro", ...body(go, call("a"), result("a", picture)) },
    at: "$.input[2].result",
    good: { model: "gemini-3-pro", ...body(go, call("a"), result("a", picture)) },
  },
  {
    rule: "tool-names",
    name: "definition with a blank",
    bad: declaring(named("a b")),
    at: "$.tools[0].name",
    good: declaring(named("a")),
  },
  {
    rule: "tool-names",
    name: "call with a digit first",
    bad: body(go, call("a", { name: "1st" }), { ...result("a"), name: "1st" }),
    at: "$.input[1].name",
    good: body(go, call("a"), result("a")),
  },
  {
    rule: "result-names",
    name: "result with the name of another function",
    bad: body(go, call("a"), { ...result("a"), name: "bash" }),
    at: "$.input[2]",
    good: body(go, call("a"), { type: "function_result", call_id: "a", result: "ok" }),
  },
  {
    rule: "tool-names-once",
    name: "function declared twice",
    bad: declaring(named("a"), named("a")),
    at: "$.tools[1].name",
    good: declaring(named("a"), { type: "google_search" }, { type: "google_search" }),
  },
  {
    rule: "stateless",
    name: "continued without a store",
    bad: { ...body(go), previous_interaction_id: "i" },
    at: "$.previous_interaction_id",
    good: { ...body(go), store: true, previous_interaction_id: "i" },
  },
  { rule: "input", name: "no step", bad: body(), at: "$.input", good: { store: false, input: "go" } },
  {
    rule: "roles",
    name: "step of another API",
    bad: body(go, { type: "user", content: "x" }, on),
    at: "$.input[1].type",
    good: body(go, on),
  },
  {
    rule: "shape",
    name: "store that is no switch",
    bad: { ...body(go), store: "no" },
    at: "$.store",
    good: body(go),
  },
];

const joint: readonly JointRuleCase[] = [
  {
    rule: "W4",
    name: "model between call and result",
    bad: body(go, call("a"), call("b"), result("b"), model(says("x")), result("a")),
    at: "$.input[5]",
  },
  { rule: "W6", name: "swapped ids", bad: body(go, call("a"), result("b"), call("b"), result("a")), at: "$.input[2]" },
  { rule: "W8", name: "result before the call", bad: body(go, result("a"), call("a"), on), at: "$.input[1]" },
];

describe("legality of Gemini interactions", () => {
  legalityTests(geminiInteractions, {
    cases,
    joint,
    strange: [{ input: 3 }, { input: [null] }, { input: [{ type: 1 }] }],
  });
});
