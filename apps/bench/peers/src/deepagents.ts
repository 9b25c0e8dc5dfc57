import type { BaseMessage } from "@langchain/core/messages";
import { createSummarizationMiddleware } from "deepagents";
import { langchainShape } from "./langchain-shape.ts";
import { peerPolicy } from "./peer-policy.ts";

/** What the middleware passes to its handler, and what it puts into the agent's state. */
interface ModelCall {
  readonly messages: BaseMessage[];
}
type WrapModelCall = (
  request: ModelCall & { readonly state: object; readonly model: object; readonly runtime: object },
  handler: (call: ModelCall) => Promise<object>,
) => Promise<{ readonly update?: object }>;

/**
 * The summarization of deepagents with the defaults of its model profile: at 0.85 of the window it keeps 0.1 of it. It
 * also writes what it removes to a file that the agent could read; nothing reads that file here.
 */
export const deepagents = peerPolicy<BaseMessage>("deepagents summarization", langchainShape, ({ budget, model }) => {
  const log: BaseMessage[] = [];
  let shown: readonly BaseMessage[] = [];
  let state: object = { _summarizationSessionId: "session" };
  const scripted = {
    profile: { maxInputTokens: budget },
    invoke: async ([request]: readonly BaseMessage[]) => ({
      text: await model.summarizeText(String(request?.content ?? ""), [...shown, ...log]),
    }),
  };
  const middleware = createSummarizationMiddleware({ model: scripted as never, backend: forgetfulBackend as never });
  const wrapModelCall = middleware.wrapModelCall as unknown as WrapModelCall;
  return async (added) => {
    log.push(...added);
    let sent: readonly BaseMessage[] = [];
    const result = await wrapModelCall({ messages: log, state, model: scripted, runtime: {} }, async ({ messages }) => {
      sent = messages;
      return {};
    });
    if (result.update !== undefined) state = { ...state, ...result.update };
    shown = sent;
    return sent;
  };
});

/** A file backend for deepagents that accepts writes and stores nothing: the comparison reads none of its files. */
const forgetfulBackend = {
  write: async (path: string) => ({ path, filesUpdate: null }),
  edit: async (path: string) => ({ path, filesUpdate: null, occurrences: 1 }),
  read: async () => ({ error: "nothing is kept" }),
  readRaw: async () => ({ error: "nothing is kept" }),
  ls: async () => ({ files: [] }),
  glob: async () => ({ files: [] }),
  grep: async () => ({ matches: [] }),
};
