import { asMessageId, asToolCallId, type MessageInput, type Part, type ToolCallPart } from "threadfold";
import { anthropicMessagesProtocol } from "../provider/protocols/anthropic-messages.ts";
import type { Body } from "../provider/provider-protocol.ts";
import { toolResult } from "../script/scripted-agent.ts";
import type { AgentWorld, HostAgent } from "./host-agent.ts";

const CREATED_AT = "2026-01-01T00:00:00.000Z";
const STOPS = { end_turn: "end", tool_use: "end", max_tokens: "max-output" } as const;

/** No host at all: a loop over `fetch`, as one writes it for a session and nothing else. */
export const plainAnthropic: HostAgent = {
  id: "plain-anthropic",
  protocol: anthropicMessagesProtocol,
  async run(world) {
    for (const [turn, text] of world.userMessages.entries()) {
      await world.session.append([said("user", `user-${turn}`, [{ type: "text", text }])]);
      while (await step(world));
    }
  },
};

/** One call of the model and of the tools that it asks for. False when the turn is over. */
async function step({ url, session }: AgentWorld): Promise<boolean> {
  const answer = await ask({ url, session });
  const parts = (answer["content"] as readonly Body[]).map(partOf);
  const usage = answer["usage"] as Readonly<Record<string, number>>;
  const { appended, discarded } = await session.complete({
    messages: [said("assistant", answer["id"] as string, parts)],
    usage: {
      inputTokens: (usage["input_tokens"] ?? 0) + (usage["cache_read_input_tokens"] ?? 0),
      cacheReadTokens: usage["cache_read_input_tokens"] ?? 0,
      outputTokens: usage["output_tokens"] ?? 0,
    },
    stopReason: STOPS[answer["stop_reason"] as keyof typeof STOPS],
  });
  const calls = appended.flatMap(({ parts: whole }) => whole.filter((part) => part.type === "tool-call"));
  await session.append(calls.map(answered));
  return calls.length + discarded.length > 0;
}

/** Sends the next request until it is answered: again after a busy or failing server, folded after an overflow. */
async function ask({ url, session }: Pick<AgentWorld, "url" | "session">): Promise<Body> {
  const prepared = await session.prepare();
  const body = JSON.stringify({ model: "claude-scripted", max_tokens: 1_000, ...prepared.payload });
  for (;;) {
    const response = await fetch(`${url}/v1/messages`, { method: "POST", body });
    const answer = (await response.json()) as Body;
    if (response.ok) return answer;
    if (response.status === 429 || response.status >= 500) continue;
    const { retry } = await session.failed({ status: response.status, ...answer });
    if (!retry) throw new Error(`The provider refused the request: ${JSON.stringify(answer)}`);
    return ask({ url, session });
  }
}

const said = (role: "user" | "assistant", id: string, parts: readonly Part[]): MessageInput => ({
  id: asMessageId(id),
  role,
  parts,
  createdAt: CREATED_AT,
});

const partOf = (block: Body): Part =>
  block["type"] === "text"
    ? { type: "text", text: block["text"] as string }
    : {
        type: "tool-call",
        callId: asToolCallId(block["id"] as string),
        toolName: block["name"] as string,
        input: block["input"] as ToolCallPart["input"],
      };

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
