import type { BaseMessage } from "@langchain/core/messages";
import { ClearToolUsesEdit } from "langchain";
import { langchainShape } from "./langchain-shape.ts";
import { langchainTrigger } from "./langchain-trigger.ts";
import { peerPolicy } from "./peer-policy.ts";

/**
 * LangChain's `ClearToolUsesEdit`, the edit of its `contextEditingMiddleware`, keeping the last three results as it
 * does by default. It edits the list in the agent's state in place, so what it cleared stays cleared.
 */
export const langchainClear = peerPolicy<BaseMessage>(
  "langchain ClearToolUsesEdit",
  langchainShape,
  ({ budget, tokensOf }) => {
    const edit = new ClearToolUsesEdit({ trigger: { tokens: langchainTrigger(budget) }, keep: { messages: 3 } });
    const state: BaseMessage[] = [];
    return async (added) => {
      state.push(...added);
      await edit.apply({
        messages: state,
        countTokens: (messages) => messages.reduce((sum, message) => sum + tokensOf(message), 0),
      } as Parameters<typeof edit.apply>[0]);
      return [...state];
    };
  },
);
