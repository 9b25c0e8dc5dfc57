import type { AgentThread, ChatMessage, Message, MessageId, Part } from "@threadfold/core";
import type { FormatRequirements } from "../capabilities/format-requirements.ts";
import { derivation } from "../input/derivation.ts";
import type { Draft } from "../neutral/draft.ts";
import { mapDrafts, type Repair, type RequestEnds, withDrafts } from "./conformance.ts";
import { endsWithProviderAnswer } from "./provider-items.ts";

/**
 * Moves mid-conversation system messages between what is said to the model and its answer, if the format has them only
 * there: each moves forward to the next such place, because a fold may have taken what stood around it. Behind an answer
 * it stays and becomes a notice, as in the request for the next answer, whatever between the two is not sent. One at the
 * end moves on if somebody speaks before the model answers: the only case in which a longer log changes what was sent,
 * because no place is legal both before and after.
 */
export const placeSystemMessages: Repair = {
  name: "place-system-messages",
  apply(request, { requirements, ends }) {
    if (requirements.systemInside !== "before-answer" || !request.drafts.some(isSystem)) return request;
    const shown: Draft[] = [];
    const waiting: Draft[] = [];
    let before: Draft | undefined;
    for (const draft of request.drafts) {
      const stays = isDirective(draft, requirements) || (waiting.length === 0 && isAnswer(before));
      if (isSystem(draft) && !stays) {
        waiting.push(draft);
        continue;
      }
      if (draft.chat.role === "assistant" && takesSystem(before, requirements, ends)) {
        for (const system of waiting.splice(0)) shown.push(system);
      }
      shown.push(draft);
      if (!isSystem(draft)) before = draft;
    }
    // A piece that is followed by an answer ends before the place of what still waits.
    const isPlaced = ends.last || takesSystem(before, requirements, ends);
    return withDrafts(request, isPlaced ? [...shown, ...waiting] : shown);
  },
};

const isSystem = ({ chat }: Draft): boolean => chat.role === "system";

/**
 * Leaves out the system messages at the end of a request that move behind what somebody may still say before the model
 * answers. Notices behind the answer that the log has before them stay.
 */
export function withoutAwaiting(
  messages: readonly ChatMessage[],
  { systemInside }: FormatRequirements,
  thread: AgentThread,
): readonly ChatMessage[] {
  if (systemInside !== "before-answer") return messages;
  const said = messages.findLastIndex(({ role, synthetic }) => role !== "system" && synthetic !== "system-notice");
  const [answer, next] = [messages[said], messages[said + 1]];
  const ordinalOf = (message: ChatMessage): number => thread.message(message.sources[0] as MessageId)?.ordinal ?? 0;
  const stays =
    answer?.role === "assistant" &&
    answer.synthetic === undefined &&
    next?.role === "user" &&
    ordinalOf(answer) < ordinalOf(next);
  return stays ? messages : messages.slice(0, said + 1);
}

const isAnswer = (before: Draft | undefined): boolean => before?.chat.role === "assistant" && before.message !== null;

/**
 * Checks whether a system message may come next: after what is said to the model, behind which every piece but the first
 * begins, or after what a tool of the provider said.
 */
const takesSystem = (before: Draft | undefined, requirements: FormatRequirements, ends: RequestEnds): boolean =>
  before === undefined ? !ends.first : before.chat.role !== "assistant" || endsWithProviderAnswer(before, requirements);

/** Checks for a system message that only changes a setting: it may be anywhere. */
export const isDirective = ({ chat }: Draft, { directive, systemInside }: FormatRequirements): boolean =>
  directive !== undefined &&
  systemInside === "before-answer" &&
  chat.role === "system" &&
  chat.parts.length === 0 &&
  chat.providerMetadata?.[directive.provider]?.[directive.field] !== undefined;

/**
 * Sends mid-conversation system messages as marked user messages if the format has no such role, or no place for it
 * where they are. Their text stays verbatim: it is an instruction, not content.
 */
export const markSystemNotices: Repair = {
  name: "mark-system-notices",
  apply(request, { requirements, warnings, ends }) {
    if (requirements.systemInside === "native") return request;
    let before: Draft | undefined;
    let isPlaced: boolean | undefined;
    const drafts = mapDrafts(request.drafts, (draft, index) => {
      if (!isSystem(draft)) [before, isPlaced] = [draft, undefined];
      if (!isSystem(draft) || isDirective(draft, requirements)) return draft;
      isPlaced ??=
        requirements.systemInside === "before-answer" &&
        takesSystem(before, requirements, ends) &&
        isBeforeAnswer(request.drafts, index);
      if (isPlaced) return draft;
      warnings.add("system-as-notice", draft.chat.sources);
      return notice(draft);
    });
    return withDrafts(request, drafts);
  },
};

/** Checks whether the model speaks next, or nobody does. */
function isBeforeAnswer(drafts: readonly Draft[], index: number): boolean {
  let next = index + 1;
  while (next < drafts.length && isSystem(drafts[next] as Draft)) next++;
  return next === drafts.length || drafts[next]?.chat.role === "assistant";
}

function notice(draft: Draft): Draft {
  const { chat: said } = draft;
  const chat = { ...said, role: "user", parts: noticeParts(said.parts, null), synthetic: "system-notice" } as const;
  return { ...draft, chat, action: draft.record === null ? "system-notice" : draft.action };
}

const noticeParts = derivation((parts: Message["parts"], _key: null): readonly Part[] => [
  { type: "text", text: "[System notice]" },
  ...parts,
]);
