import { findCompressSplitPoint } from "@google/gemini-cli-core/dist/src/context/chatCompressionService.js";
import type { Message } from "threadfold";
import { callsOf, callText, lines, resultRuns, resultsOf, textOf } from "./message-parts.ts";
import { type PeerShape, peerPolicy } from "./peer-policy.ts";

type Content = Parameters<typeof findCompressSplitPoint>[0][number];

/** gemini-cli compresses at half of the window and keeps the last 0.3 of the history, by its own constants. */
const THRESHOLD = 0.5;
const COMPRESSED = 0.7;

const geminiShape: PeerShape<Content> = {
  convert: (added) => resultRuns(added).map((sources) => ({ native: contentOf(sources), sources })),
  piece: ({ role, parts = [] }) => {
    const texts: string[] = [];
    const callIds: string[] = [];
    const resultIds: string[] = [];
    for (const { text, functionCall, functionResponse } of parts) {
      if (text) texts.push(text);
      if (functionCall) {
        texts.push(callText(functionCall.name ?? "", functionCall.args));
        callIds.push(functionCall.id ?? "");
      }
      if (functionResponse) {
        texts.push(String(functionResponse.response?.["output"] ?? ""));
        resultIds.push(functionResponse.id ?? "");
      }
    }
    const speaker = role === "model" ? "assistant" : "user";
    return { role: resultIds.length > 0 ? "tool" : speaker, text: lines(texts), callIds, resultIds };
  },
};

/**
 * gemini-cli's split: `findCompressSplitPoint` and the history that its `ChatCompressionService` builds from it: a
 * summary, the model's thanks for it, and the rest. Its cutting of tool responses beyond 50,000 tokens and its second,
 * verifying request to the model are left out.
 */
export const geminiSplit = peerPolicy<Content>("gemini-cli split", geminiShape, ({ budget, tokensOf, model }) => {
  let history: readonly Content[] = [];
  const size = (contents: readonly Content[]): number => contents.reduce((sum, content) => sum + tokensOf(content), 0);
  return async (added) => {
    history = [...history, ...added];
    if (size(history) < budget * THRESHOLD) return history;
    const split = findCompressSplitPoint([...history], COMPRESSED);
    if (split === 0) return history;
    const summary = await model.summarize(history.slice(0, split));
    const compressed: readonly Content[] = [
      { role: "user", parts: [{ text: summary }] },
      { role: "model", parts: [{ text: "Got it. Thanks for the additional context!" }] },
      ...history.slice(split),
    ];
    // A summary longer than what it replaces is discarded, as in gemini-cli.
    if (size(compressed) <= size(history)) history = compressed;
    return history;
  };
});

function contentOf(sources: readonly Message[]): Content {
  return {
    role: sources[0]?.role === "assistant" ? "model" : "user",
    parts: sources.flatMap((message) => {
      const text = textOf(message);
      return [
        ...(text === "" ? [] : [{ text }]),
        ...callsOf(message).map(({ id, name, input }) => ({ functionCall: { id, name, args: input } })),
        ...resultsOf(message).map(({ id, name, text: output }) => ({
          functionResponse: { id, name, response: { output } },
        })),
      ];
    }),
  };
}
