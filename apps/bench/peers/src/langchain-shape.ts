import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import type { Role } from "threadfold";
import { callsOf, callText, lines, resultsOf, textOf } from "./message-parts.ts";
import type { Converted, PeerShape } from "./peer-policy.ts";

/** LangChain's messages. They get our ids, so that runs are identical. */
export const langchainShape: PeerShape<BaseMessage> = {
  convert: (added) =>
    added.flatMap((message): readonly Converted<BaseMessage>[] => {
      const { id, role } = message;
      const sources = [message];
      switch (role) {
        case "system":
          return [{ native: new SystemMessage({ id, content: textOf(message) }), sources }];
        case "user":
          return [{ native: new HumanMessage({ id, content: textOf(message) }), sources }];
        case "assistant": {
          const calls = callsOf(message).map((call) => ({ id: call.id, name: call.name, args: call.input }));
          return [{ native: new AIMessage({ id, content: textOf(message), tool_calls: calls }), sources }];
        }
        case "tool":
          return resultsOf(message).map((result) => ({
            native: new ToolMessage({ id, content: result.text, tool_call_id: result.id, name: result.name }),
            sources,
          }));
      }
    }),
  piece: (native) => {
    const text = typeof native.content === "string" ? native.content : native.text;
    if (ToolMessage.isInstance(native)) return { role: "tool", text, resultIds: [native.tool_call_id] };
    if (!AIMessage.isInstance(native)) return { role: roleOf(native), text };
    const calls = native.tool_calls ?? [];
    return {
      role: "assistant",
      text: lines([text, ...calls.map(({ name, args }) => callText(name, args))]),
      callIds: calls.map(({ id }) => id ?? ""),
    };
  },
};

function roleOf(native: BaseMessage): Role {
  return SystemMessage.isInstance(native) ? "system" : "user";
}
