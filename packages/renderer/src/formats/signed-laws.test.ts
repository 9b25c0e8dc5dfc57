import { AgentThread, asMessageId, asThreadId, emptyPlan, type Part, type Role } from "@threadfold/core";
import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatLaws } from "../laws/format-laws.ts";
import { countThread } from "../laws/render-inputs.ts";
import { signedInputs } from "../testing/signed-inputs.ts";
import { aiSdk } from "./ai-sdk/format.ts";
import { anthropicMessages } from "./anthropic-messages/format.ts";
import { gemini } from "./gemini/format.ts";
import { openaiChat } from "./openai-chat/format.ts";
import { openaiResponses } from "./openai-responses/format.ts";

describe.each(
  [openaiChat, openaiResponses, gemini, anthropicMessages, aiSdk].map((format) => [format.id, format] as const),
)("%s", (_id, format) => {
  it("keeps its laws with ids, signatures and hosted items of its provider in the log (W15, W16)", () => {
    const laws = formatLaws(format);
    fc.assert(
      fc.property(signedInputs, (input) => {
        expect(
          laws.flatMap(({ name, broken }) => {
            const problem = broken(input);
            return problem === null ? [] : [`${name}: ${problem}`];
          }),
        ).toEqual([]);
      }),
      runs(60),
    );
  });
});

it("thinking in a message of its own goes with the hosted call that it led to, when the user speaks (W15)", () => {
  const said: readonly (readonly [Role, Part])[] = [
    ["user", { type: "text", text: "Look." }],
    ["assistant", { type: "reasoning", text: "I look.", provider: "anthropic", signature: "c2ln" }],
    [
      "assistant",
      { type: "opaque", provider: "anthropic", value: { type: "mcp_tool_use", id: "m1", name: "look", input: {} } },
    ],
    ["user", { type: "text", text: "Wait." }],
  ];
  const thread = AgentThread.empty(asThreadId("t")).append(
    said.map(([role, part], at) => ({
      ...{ id: asMessageId(`m${at}`), role, parts: [part] },
      createdAt: "2026-01-01T00:00:00.000Z",
    })),
  );
  const plan = emptyPlan(thread.id, "test");
  const input = { thread, plan, ledger: countThread(thread), system: [], tools: [] };
  for (const { broken } of formatLaws(anthropicMessages)) expect(broken(input)).toBeNull();
});
