import type { Part } from "@threadfold/core";
import type { FormatRequirements } from "../capabilities/format-requirements.ts";
import type { RenderInput } from "../input/render-input.ts";
import { type Draft, isBlank, madeDraft, withParts } from "../neutral/draft.ts";
import { rehydratedMessage } from "../neutral/externalized-body.ts";
import { canReadArtifacts, recallTools } from "../neutral/recall-tools.ts";
import { mapDrafts, type Repair, withDrafts } from "./conformance.ts";
import { isDirective } from "./mark-system-notices.ts";
import { ItemPairs, isAnswerOfHost, leaveItemOpen } from "./provider-items.ts";

/** Text of the user turn added after an assistant turn when the host provides none. */
const CONTINUATION = "[Continue from here]";

/**
 * Ends the request with a user turn, unless the provider is to continue what it paused: rehydrated content is appended
 * as user messages, and an assistant turn is followed by a marked continuation (W9). All of this is gone in the next
 * request.
 */
export const appendTail: Repair = {
  name: "append-tail",
  end: "last",
  apply(request, { input, warnings, requirements }) {
    // Content that the provider continues itself is sent unchanged, with nothing said after it.
    if (isPaused(request.drafts, requirements)) return request;
    const end = requirements.systemInside === "before-answer" ? systemAtEnd(request.drafts) : request.drafts.length;
    const last = request.drafts[end - 1];
    const ordinal = last?.ordinal ?? 0;
    const canRead = canReadArtifacts(recallTools(input.tools));
    const tail = (input.rehydrated ?? []).map((content) => rehydratedMessage(content, ordinal, canRead));
    if (needsContinuation(last, input)) {
      warnings.add("continuation-added", last?.chat.sources ?? []);
      tail.push(continuation(input, ordinal));
    }
    if (tail.length === 0) return request;
    return withDrafts(request, [...request.drafts.slice(0, end), ...tail, ...request.drafts.slice(end)]);
  },
};

/** Returns where the system messages at the end begin: nothing may be said between them and the answer. */
const systemAtEnd = (drafts: readonly Draft[]): number =>
  drafts.findLastIndex(({ chat }) => chat.role !== "system") + 1;

/** Checks whether the provider paused after these messages, so that its next answer continues the last of them. */
const isPaused = (drafts: readonly Draft[], requirements: FormatRequirements): boolean =>
  leaveItemOpen(
    drafts.map(({ chat }) => chat),
    requirements,
  );

function needsContinuation(last: Draft | undefined, { continuation: asked }: RenderInput): boolean {
  if (last === undefined || last.chat.role === "assistant") return true;
  return asked !== undefined && last.chat.synthetic === "missing-result";
}

function continuation({ continuation: asked, plan, summaryWording }: RenderInput, ordinal: number): Draft {
  const text = asked ?? (plan.summarizations.length > 0 ? summaryWording?.continuation : undefined);
  return madeDraft(text === undefined || isBlank(text) ? CONTINUATION : text, {
    role: "user",
    synthetic: "continuation",
    action: "continuation",
    share: "overhead",
    ordinal,
  });
}

/** Puts a marked user message first if the format must begin with one and the log does not (W10). */
export const openWithUser: Repair = {
  name: "open-with-user",
  end: "first",
  apply(request, { requirements, warnings }) {
    const first = request.drafts.find((draft) => !isDirective(draft, requirements));
    if (requirements.opening === "anyone" || first === undefined || first.chat.role !== "assistant") return request;
    if (opensWithItem(first, requirements)) return request;
    warnings.add("opening-added", []);
    const opening = madeDraft("[Conversation starts here]", {
      role: "user",
      synthetic: "placeholder",
      action: "opening",
      share: "overhead",
      ordinal: first.ordinal,
    });
    return withDrafts(request, [opening, ...request.drafts]);
  },
};

/** A server-side compaction replaces everything before it, including the user's first message. */
function opensWithItem({ chat }: Draft, { standIn }: FormatRequirements): boolean {
  const [part] = chat.parts;
  return standIn !== undefined && part?.type === "opaque" && Object(part.value).type === standIn.type;
}

/**
 * Puts a marked user message between an assistant message and one that begins with reasoning, if reasoning must come
 * first in its turn: the provider joins messages of one role (W12). After text that rendering added, above all a
 * summary, it only separates the two. After an answer, such as one that was cut off, it is the continuation that was
 * there when the next answer was requested, and to which reasoning may be bound.
 */
export const openTurnsWithReasoning: Repair = {
  name: "open-turns-with-reasoning",
  apply(request, { requirements, input, warnings }) {
    const { reasoning } = requirements;
    const leads = reasoning.replay === "signed" ? (reasoning.leads ?? []) : [];
    if (leads.length === 0) return request;
    const items = new ItemPairs(requirements);
    let opened: Draft[] | undefined;
    for (let index = 1; index < request.drafts.length; index++) {
      const draft = request.drafts[index] as Draft;
      const before = request.drafts[index - 1] as Draft;
      items.add(before.chat);
      if (mustOpen(draft, before, leads) && !items.isOpen) {
        warnings.add("turn-opened", draft.chat.sources);
        opened ??= request.drafts.slice(0, index);
        opened.push(before.message === null ? opening(draft) : continuation(input, draft.ordinal));
      }
      opened?.push(draft);
    }
    return opened === undefined ? request : withDrafts(request, opened);
  },
};

const mustOpen = ({ chat }: Draft, before: Draft, leads: readonly string[]): boolean =>
  chat.role === "assistant" &&
  before.chat.role === "assistant" &&
  isLeading(
    chat.parts.find(({ type }) => type !== "opaque"),
    leads,
  );

const isLeading = (part: Part | undefined, leads: readonly string[]): boolean =>
  part?.type === "reasoning" && (leads.includes("*") || leads.includes(part.provider ?? ""));

const opening = ({ ordinal }: Draft): Draft =>
  madeDraft(CONTINUATION, { role: "user", synthetic: "placeholder", action: "opening", share: "overhead", ordinal });

/**
 * Leaves out reasoning that is followed by nothing from the model: at the end of an assistant turn, and before a host's
 * answer that the log has in the middle of one. If signed reasoning is sent back, something must follow it (W12, W16).
 * Where it is a field of its message, it only needs something beside it (W11).
 */
export const endWithoutReasoning: Repair = {
  name: "end-without-reasoning",
  apply(request, { requirements, warnings }) {
    if (requirements.reasoning.replay !== "signed") return request;
    const isField = requirements.reasoning.follower === "beside";
    const shortened = isField
      ? withoutBareReasoning(request.drafts)
      : withoutLoneReasoning(request.drafts, requirements);
    if (shortened.size === 0) return request;
    const drafts = mapDrafts(request.drafts, (draft) => {
      const parts = shortened.get(draft);
      if (parts === undefined) return draft;
      warnings.leaveOut("reasoning-left-out", "at-the-end", draft.chat.sources);
      return parts.length === 0 ? null : withParts(draft, parts);
    });
    return withDrafts(request, drafts);
  },
};

/** Returns messages that have nothing but reasoning. */
const withoutBareReasoning = (drafts: readonly Draft[]): ReadonlyMap<Draft, readonly Part[]> =>
  new Map(drafts.filter(({ chat: { parts } }) => isBare(parts)).map((draft) => [draft, []]));

const isBare = (parts: readonly Part[]): boolean => parts.length > 0 && parts.every(({ type }) => type === "reasoning");

/** Returns messages whose reasoning has no follower in its run of assistant messages, with their remaining parts. */
function withoutLoneReasoning(
  drafts: readonly Draft[],
  requirements: FormatRequirements,
): ReadonlyMap<Draft, readonly Part[]> {
  const { reasoning } = requirements;
  const asksOwn = reasoning.replay === "signed" && reasoning.follower === "own";
  const shortened = new Map<Draft, readonly Part[]>();
  let follows = false;
  for (const draft of drafts.toReversed()) {
    const { role, parts } = draft.chat;
    if (role !== "assistant" || (asksOwn && draft.message === null)) {
      follows = false;
      continue;
    }
    const kept = parts.toReversed().filter((part) => {
      if (part.type === "reasoning") return follows;
      follows = !(asksOwn && isAnswerOfHost(part, requirements));
      return true;
    });
    if (kept.length < parts.length) shortened.set(draft, kept.reverse());
  }
  return shortened;
}
