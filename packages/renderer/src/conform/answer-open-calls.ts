import type { Part, ToolCallPart } from "@threadfold/core";
import { derivation } from "../neutral/derivation.ts";
import { answersOf, type Draft } from "../neutral/draft.ts";
import { type Repair, withDrafts } from "./conformance.ts";

/** Body of the result that stands for one that the log does not have. */
export const NO_RESULT = "[no result was recorded]";

/** Answers calls that the log leaves open (aborted, in flight) with a marked failure, so that the pair is whole (A10, W1, W7). */
export const answerOpenCalls: Repair = {
  name: "answer-open-calls",
  apply(request, { warnings }) {
    const drafts: Draft[] = [];
    let next = 0;
    for (const draft of request.drafts) {
      if (draft.chat.role === "tool") continue;
      next = request.drafts.indexOf(draft, next) + 1;
      drafts.push(draft);
      if (draft.chat.role !== "assistant") continue;
      for (const part of draft.chat.parts) {
        if (part.type !== "tool-call") continue;
        const result = request.drafts[next];
        const answered = result !== undefined && answersOf(result) === part.callId;
        if (answered) next++;
        else warnings.add("call-unanswered", draft.chat.sources);
        drafts.push(answered ? result : missingResult(part, draft));
      }
    }
    return drafts.length === request.drafts.length ? request : withDrafts(request, drafts);
  },
};

function missingResult(call: ToolCallPart, { ordinal }: Draft): Draft {
  const chat = { role: "tool", parts: missingParts(call, null), sources: [], synthetic: "missing-result" } as const;
  return { chat, action: "missing-result", share: "overhead", record: null, message: null, ordinal };
}

const missingParts = derivation(({ callId, toolName }: ToolCallPart, _key: null): readonly Part[] => {
  const content = { type: "text", text: NO_RESULT } as const;
  return [{ type: "tool-result", result: { toolName, callId, outcome: "failure", content } }];
});
