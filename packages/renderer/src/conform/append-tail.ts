import type { Draft } from "../neutral/draft.ts";
import { isBlank } from "../neutral/is-blank.ts";
import { madeDraft } from "../neutral/made-draft.ts";
import { canReadArtifacts, recallTools } from "../neutral/recall-tools.ts";
import { rehydratedMessage } from "../neutral/rehydrated-message.ts";
import type { RenderInput } from "../render-input.ts";
import { type Repair, withDrafts } from "./conformance.ts";
import { leaveItemOpen } from "./leave-out-lone-items.ts";

/** Text of the user turn that is put behind an assistant turn when the host gives none. */
export const CONTINUATION = "[Continue from here]";

/**
 * Ends the request on a user turn, unless the provider is to go on with what it paused: rehydrated content goes into the last user or tool turn, and behind an assistant turn
 * comes a marked continuation (W9). What stands here is gone in the next request.
 */
export const appendTail: Repair = {
  name: "append-tail",
  end: "last",
  apply(request, { input, warnings, requirements }) {
    const last = request.drafts.at(-1);
    // What the provider goes on with itself goes back as it is, and nobody speaks behind it.
    if (
      leaveItemOpen(
        request.drafts.map(({ chat }) => chat),
        requirements,
      )
    )
      return request;
    const ordinal = last?.ordinal ?? 0;
    const canRead = canReadArtifacts(recallTools(input.tools));
    const tail = (input.rehydrated ?? []).map((content) => rehydratedMessage(content, ordinal, canRead));
    if (needsContinuation(last, input)) {
      warnings.add("continuation-added", last?.chat.sources ?? []);
      tail.push(continuation(input.continuation, ordinal));
    }
    return tail.length === 0 ? request : withDrafts(request, [...request.drafts, ...tail]);
  },
};

function needsContinuation(last: Draft | undefined, { continuation: asked }: RenderInput): boolean {
  if (last === undefined || last.chat.role === "assistant") return true;
  return asked !== undefined && last.chat.synthetic === "missing-result";
}

function continuation(asked: string | undefined, ordinal: number): Draft {
  return madeDraft(asked === undefined || isBlank(asked) ? CONTINUATION : asked, {
    role: "user",
    synthetic: "continuation",
    action: "continuation",
    share: "overhead",
    ordinal,
  });
}
