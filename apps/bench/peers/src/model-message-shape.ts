import type { PromptPiece } from "@threadfold/simulation";
import type { ModelMessage } from "ai";
import { callsOf, callText, lines, resultRuns, resultsOf, textOf } from "./message-parts.ts";
import type { PeerShape } from "./peer-policy.ts";

/** The AI SDK's `ModelMessage`. The results of one step are one message, as its tool loop writes them. */
export const modelMessageShape: PeerShape<ModelMessage> = {
  convert: (added) => resultRuns(added).map((sources) => ({ native: nativeOf(sources), sources })),
  piece: pieceOf,
};

function nativeOf(sources: Parameters<PeerShape<ModelMessage>["convert"]>[0]): ModelMessage {
  const [message] = sources;
  if (message === undefined) throw new Error("A run of messages is never empty.");
  const text = textOf(message);
  switch (message.role) {
    case "system":
      return { role: "system", content: text };
    case "user":
      return { role: "user", content: [{ type: "text", text }] };
    case "assistant": {
      const spoken = text === "" ? [] : [{ type: "text", text } as const];
      const calls = callsOf(message).map(
        ({ id, name, input }) => ({ type: "tool-call", toolCallId: id, toolName: name, input }) as const,
      );
      return { role: "assistant", content: [...spoken, ...calls] };
    }
    case "tool":
      return {
        role: "tool",
        content: sources.flatMap(resultsOf).map(({ id, name, text: value }) => ({
          type: "tool-result",
          toolCallId: id,
          toolName: name,
          output: { type: "text", value },
        })),
      };
  }
}

function pieceOf({ role, content }: ModelMessage): PromptPiece {
  if (typeof content === "string") return { role, text: content };
  const texts: string[] = [];
  const callIds: string[] = [];
  const resultIds: string[] = [];
  for (const part of content) {
    if (part.type === "text") texts.push(part.text);
    else if (part.type === "tool-call") {
      texts.push(callText(part.toolName, part.input));
      callIds.push(part.toolCallId);
    } else if (part.type === "tool-result") {
      texts.push("value" in part.output ? String(part.output.value) : "");
      resultIds.push(part.toolCallId);
    }
  }
  return { role, text: lines(texts), callIds, resultIds };
}
