import type { ToolCallPart } from "@threadfold/core";
import { asMessageId, asToolCallId, type MessageInput, type Part } from "threadfold";
import { interactionsProtocol } from "../provider/interactions-protocol.ts";
import type { Body } from "../provider/provider-protocol.ts";
import { toolResult } from "../script/scripted-agent.ts";
import type { AgentWorld } from "./host-agent.ts";

/** No host at all: a loop over `fetch` against Gemini's Interactions API, which has no loop helper yet. */
export async function plainInteractions(world: AgentWorld): Promise<void> {
  for (const [turn, text] of world.userMessages.entries()) {
    await world.session.append([said("user", `user-${turn}`, [{ type: "text", text }])]);
    while (await step(world));
  }
}

/** Makes one model call and runs the tools that it asks for. Returns false when the turn is over. */
async function step(world: AgentWorld): Promise<boolean> {
  const { session } = world;
  const answer = await ask(world);
  const usage = answer["usage"] as Readonly<Record<string, number>>;
  const { appended, discarded } = await session.complete({
    messages: [
      said(
        "assistant",
        answer["id"] as string,
        (answer["steps"] as readonly Body[]).flatMap(partsOf),
        answer["model"] as string,
      ),
    ],
    usage: {
      inputTokens: usage["total_input_tokens"] ?? 0,
      cacheReadTokens: usage["total_cached_tokens"] ?? 0,
      outputTokens: usage["total_output_tokens"] ?? 0,
    },
    stopReason: answer["status"] === "incomplete" ? "max-output" : "end",
  });
  const calls = appended.flatMap(({ parts }) => parts.filter((part) => part.type === "tool-call"));
  await session.append(calls.map(answered));
  return calls.length + discarded.length > 0;
}

/** Sends the next request until it is answered: again after a busy or failing server, folded after an overflow. */
async function ask(world: AgentWorld): Promise<Body> {
  const { url, model, session } = world;
  const { payload } = await session.prepare();
  const body = JSON.stringify({ model, generation_config: { thinking_summaries: "auto" }, ...payload });
  for (;;) {
    const response = await fetch(`${url}${interactionsProtocol.path}`, { method: "POST", body });
    const answer = (await response.json()) as Body;
    if (response.ok) return answer;
    if (response.status === 429 || response.status >= 500) continue;
    const { retry } = await session.failed({ status: response.status, ...answer });
    if (!retry) throw new Error(`The provider refused the request: ${JSON.stringify(answer)}`);
    return ask(world);
  }
}

const CREATED_AT = "2026-01-01T00:00:00.000Z";

const said = (role: "user" | "assistant", id: string, parts: readonly Part[], model?: string): MessageInput => ({
  ...{ id: asMessageId(id), role, parts, createdAt: CREATED_AT },
  ...(model !== undefined && { model }),
});

function partsOf(step: Body): readonly Part[] {
  const texts = (content: unknown) => ((content ?? []) as readonly { readonly text: string }[]).map(({ text }) => text);
  switch (step["type"]) {
    case "model_output":
      return texts(step["content"]).map((text) => ({ type: "text", text }));
    case "thought": {
      const signature = step["signature"] as string;
      return [{ type: "reasoning", text: texts(step["summary"]).join(""), provider: "google", signature }];
    }
    default:
      return [
        {
          type: "tool-call",
          callId: asToolCallId(step["id"] as string),
          toolName: step["name"] as string,
          input: step["arguments"] as ToolCallPart["input"],
        },
      ];
  }
}

const answered = ({ callId, toolName, input }: ToolCallPart): MessageInput => ({
  id: asMessageId(`result-${callId}`),
  role: "tool",
  createdAt: CREATED_AT,
  parts: [
    {
      type: "tool-result",
      result: {
        toolName,
        callId,
        outcome: "success",
        content: { type: "text", text: toolResult({ name: toolName, input: input as Body as never }) },
      },
    },
  ],
});
