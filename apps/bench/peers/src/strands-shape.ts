import {
  type ContentBlock,
  Message as StrandsMessage,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
} from "@strands-agents/sdk";
import type { Message } from "threadfold";
import { callsOf, callText, lines, resultRuns, resultsOf, textOf } from "./message-parts.ts";
import type { PeerShape } from "./peer-policy.ts";

/** Strands' messages. The results of one step are one user message, as its tool loop writes them. */
export const strandsShape: PeerShape<StrandsMessage> = {
  convert: (added) => resultRuns(added).map((sources) => ({ native: nativeOf(sources), sources })),
  piece: (native) => {
    const texts: string[] = [];
    const callIds: string[] = [];
    const resultIds: string[] = [];
    for (const block of native.content) {
      if (block.type === "textBlock") texts.push(block.text);
      else if (block.type === "toolUseBlock") {
        texts.push(callText(block.name, block.input));
        callIds.push(block.toolUseId);
      } else if (block.type === "toolResultBlock") {
        texts.push(lines(block.content.map((item) => (item.type === "textBlock" ? item.text : ""))));
        resultIds.push(block.toolUseId);
      }
    }
    const role = resultIds.length > 0 ? "tool" : native.role === "assistant" ? "assistant" : "user";
    return { role, text: lines(texts), callIds, resultIds };
  },
};

function nativeOf(sources: readonly Message[]): StrandsMessage {
  const isModel = sources[0]?.role === "assistant";
  return new StrandsMessage({
    role: isModel ? "assistant" : "user",
    content: sources.flatMap(blocksOf),
    trackingId: sources[0]?.id ?? "",
  });
}

function blocksOf(message: Message): readonly ContentBlock[] {
  const text = textOf(message);
  return [
    ...(text === "" ? [] : [new TextBlock(text)]),
    ...callsOf(message).map(({ id, name, input }) => new ToolUseBlock({ toolUseId: id, name, input: input as never })),
    ...resultsOf(message).map(
      ({ id, text: result, failed }) =>
        new ToolResultBlock({ toolUseId: id, status: failed ? "error" : "success", content: [new TextBlock(result)] }),
    ),
  ];
}
