import type { AgentInputItem } from "@openai/agents";
import type { Message } from "threadfold";
import { callsOf, callText, resultsOf, textOf } from "./message-parts.ts";
import type { PeerShape } from "./peer-policy.ts";

/** Items of the OpenAI Agents SDK: a call is a separate item from what the model says. */
export const openaiShape: PeerShape<AgentInputItem> = {
  convert: (added) => added.flatMap((message) => itemsOf(message).map((native) => ({ native, sources: [message] }))),
  piece: (item) => {
    switch (item.type) {
      case "function_call":
        return { role: "assistant", text: callText(item.name, item.arguments), callIds: [item.callId] };
      case "function_call_result":
        return { role: "tool", text: String(item.output), resultIds: [item.callId] };
      case "compaction":
        return { role: "user", text: item.encrypted_content };
      default:
        return "role" in item && item.role !== undefined
          ? { role: item.role, text: contentText(item.content) }
          : { role: "user", text: "" };
    }
  },
};

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? "").join("\n") : "";
}

function itemsOf(message: Message): readonly AgentInputItem[] {
  const text = textOf(message);
  switch (message.role) {
    case "system":
    case "user":
      return [{ type: "message", role: "user", content: [{ type: "input_text", text }] }];
    case "assistant": {
      const spoken: readonly AgentInputItem[] =
        text === ""
          ? []
          : [{ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text }] }];
      const calls = callsOf(message).map(
        ({ id, name, input }): AgentInputItem => ({
          type: "function_call",
          callId: id,
          name,
          arguments: JSON.stringify(input),
        }),
      );
      return [...spoken, ...calls];
    }
    case "tool":
      return resultsOf(message).map(({ id, name, text: output }) => ({
        type: "function_call_result",
        callId: id,
        name,
        status: "completed",
        output,
      }));
  }
}
