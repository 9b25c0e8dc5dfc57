import type { Message } from "threadfold";
import { callsOf, callText, lines, resultsOf, textOf } from "./message-parts.ts";
import type { PeerShape } from "./peer-policy.ts";
import type { LlmMessage } from "./pi-package.ts";

/** A message as pi sends it to a model. */
export type PiMessage = LlmMessage;

/** pi's messages. Assistant messages carry no usage, so pi counts them itself, at four characters a token. */
export const piShape: PeerShape<PiMessage> = {
  convert: (added) => added.flatMap((message) => nativesOf(message).map((native) => ({ native, sources: [message] }))),
  piece: (native) => {
    const blocks =
      typeof native.content === "string" ? [{ type: "text", text: native.content } as const] : native.content;
    const texts: string[] = [];
    const callIds: string[] = [];
    for (const block of blocks) {
      if (block.type === "text") texts.push(block.text);
      else if (block.type === "toolCall") {
        texts.push(callText(block.name, block.arguments));
        callIds.push(block.id);
      }
    }
    const text = lines(texts);
    if (native.role === "toolResult") return { role: "tool", text, resultIds: [native.toolCallId] };
    return { role: native.role, text, callIds };
  },
};

function nativesOf(message: Message): readonly PiMessage[] {
  const timestamp = Date.parse(message.createdAt);
  const text = textOf(message);
  const content = text === "" ? [] : [{ type: "text", text } as const];
  switch (message.role) {
    case "system":
    case "user":
      return [{ role: "user", content, timestamp }];
    case "assistant": {
      const calls = callsOf(message).map(({ id, name, input }) => ({ type: "toolCall", id, name, arguments: input }));
      return [{ role: "assistant", content: [...content, ...calls], ...NO_USAGE, timestamp } as PiMessage];
    }
    case "tool":
      return resultsOf(message).map(
        ({ id, name, text: result, failed }) =>
          ({
            role: "toolResult",
            toolCallId: id,
            toolName: name,
            content: [{ type: "text", text: result }],
            isError: failed,
            timestamp,
          }) as PiMessage,
      );
  }
}

const NO_USAGE = {
  api: "anthropic-messages",
  provider: "anthropic",
  model: "scripted",
  stopReason: "stop",
  usage: {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  },
};
