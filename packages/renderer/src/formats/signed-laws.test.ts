import { AgentThread, asMessageId, asThreadId, emptyPlan, type Part, type Role } from "@threadfold/core";
import { brokenLaws, forAll, keepLaws, together } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatChecks, formatLaws } from "../laws/format-laws.ts";
import { countThread } from "../laws/render-inputs.ts";
import { signedInputs } from "../testing/signed-inputs.ts";
import { aiSdk } from "./ai-sdk/format.ts";
import { anthropicMessages } from "./anthropic-messages/format.ts";
import { gemini } from "./gemini/format.ts";
import { openaiChat } from "./openai-chat/format.ts";
import { openaiResponses } from "./openai-responses/format.ts";

for (const format of [openaiChat, openaiResponses, gemini, anthropicMessages, aiSdk]) {
  const title = "keeps its laws with ids, signatures and hosted items of its provider in the log (W15, W16)";
  const law = { ...together(title, formatChecks(format)), cost: 1 };
  keepLaws(format.id, forAll(signedInputs, [law], 60), { describe, it });
}

it("thinking in a message of its own goes with the hosted call that it led to, when the user speaks (W15)", async () => {
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
  const laws = formatLaws(anthropicMessages, { inputs: fc.constant(input), times: 1 });
  expect(await brokenLaws(laws)).toEqual([]);
});
