import { createContextCompactionPrepareTurn } from "@cline/core";
import type { Message } from "threadfold";
import { callsOf, callText, lines, resultRuns, resultsOf, textOf } from "./message-parts.ts";
import { type PeerShape, peerPolicy } from "./peer-policy.ts";

type PrepareTurn = NonNullable<ReturnType<typeof createContextCompactionPrepareTurn>>;
type ClineMessage = Parameters<PrepareTurn>[0]["messages"][number];

const clineShape: PeerShape<ClineMessage> = {
  convert: (added) => resultRuns(added).map((sources) => ({ native: nativeOf(sources), sources })),
  piece: ({ role, content }) => {
    if (typeof content === "string") return { role, text: content };
    const texts: string[] = [];
    const callIds: string[] = [];
    const resultIds: string[] = [];
    for (const block of content) {
      if (block.type === "text") texts.push(block.text);
      else if (block.type === "tool_use") {
        texts.push(callText(block.name, block.input));
        callIds.push(block.id);
      } else if (block.type === "tool_result") {
        texts.push(resultText(block.content));
        resultIds.push(block.tool_use_id);
      }
    }
    return { role: resultIds.length > 0 ? "tool" : role, text: lines(texts), callIds, resultIds };
  },
};

function resultText(content: string | readonly object[]): string {
  if (typeof content === "string") return content;
  return lines(content.map((part) => ("text" in part ? String(part.text) : "")));
}

/**
 * Cline's compaction without a model: `createContextCompactionPrepareTurn` with the strategy "basic" and its defaults.
 */
export const clineBasic = peerPolicy<ClineMessage>("cline basic compaction", clineShape, ({ budget, context }) => {
  const model = { providerId: "anthropic", modelId: "scripted" };
  const prepareTurn = createContextCompactionPrepareTurn({
    ...model,
    providerConfig: model as never,
    compaction: { enabled: true, strategy: "basic" },
    sessionId: context.sessionId,
  } as Parameters<typeof createContextCompactionPrepareTurn>[0]);
  if (prepareTurn === undefined) throw new Error("Cline made no compaction although it is enabled.");
  let messages: ClineMessage[] = [];
  let iteration = 0;
  return async (added) => {
    messages = [...messages, ...added];
    const turn = {
      agentId: "agent",
      conversationId: context.sessionId,
      parentAgentId: null,
      iteration: iteration++,
      messages,
      apiMessages: messages,
      abortSignal: new AbortController().signal,
      systemPrompt: "",
      tools: [],
      model: { id: "scripted", provider: "anthropic", info: { id: "scripted", maxInputTokens: budget } },
    };
    messages = (await prepareTurn(turn as unknown as Parameters<PrepareTurn>[0]))?.messages ?? messages;
    return messages;
  };
});

function nativeOf(sources: readonly Message[]): ClineMessage {
  const isModel = sources[0]?.role === "assistant";
  return {
    id: sources[0]?.id,
    role: isModel ? "assistant" : "user",
    content: sources.flatMap((message) => {
      const text = textOf(message);
      return [
        ...(text === "" ? [] : [{ type: "text", text } as const]),
        ...callsOf(message).map(({ id, name, input }) => ({ type: "tool_use", id, name, input }) as const),
        ...resultsOf(message).map(
          ({ id, name, text: content, failed }) =>
            ({ type: "tool_result", tool_use_id: id, name, content, is_error: failed }) as const,
        ),
      ];
    }),
  } as ClineMessage;
}
