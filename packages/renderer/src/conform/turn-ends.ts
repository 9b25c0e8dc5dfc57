import type { Part } from "@threadfold/core";
import type { FormatRequirements } from "../capabilities/format-requirements.ts";
import type { RenderInput } from "../input/render-input.ts";
import { type Draft, isBlank, madeDraft, withParts } from "../neutral/draft.ts";
import { rehydratedMessage } from "../neutral/externalized-body.ts";
import { canReadArtifacts, recallTools } from "../neutral/recall-tools.ts";
import { mapDrafts, type Repair, withDrafts } from "./conformance.ts";
import { isAnswerOfHost, leaveItemOpen } from "./provider-items.ts";

/** Text of the user turn that is put behind an assistant turn when the host hands in none. */
const CONTINUATION = "[Continue from here]";

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
    if (isPaused(request.drafts, requirements)) return request;
    const ordinal = last?.ordinal ?? 0;
    const canRead = canReadArtifacts(recallTools(input.tools));
    const tail = (input.rehydrated ?? []).map((content) => rehydratedMessage(content, ordinal, canRead));
    if (needsContinuation(last, input)) {
      warnings.add("continuation-added", last?.chat.sources ?? []);
      tail.push(continuation(input, ordinal));
    }
    return tail.length === 0 ? request : withDrafts(request, [...request.drafts, ...tail]);
  },
};

/** True when the provider paused behind these messages, and its next answer goes on with the last of them. */
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

/** Puts a marked user message first where the format begins with one and the log does not (W10). */
export const openWithUser: Repair = {
  name: "open-with-user",
  end: "first",
  apply(request, { requirements, warnings }) {
    const first = request.drafts[0];
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

/** A server-side compaction stands for everything before it, the user's first message included. */
function opensWithItem({ chat }: Draft, { standIn }: FormatRequirements): boolean {
  const [part] = chat.parts;
  return standIn !== undefined && part?.type === "opaque" && Object(part.value).type === standIn.type;
}

/**
 * Puts a marked user message between an assistant message and one that begins with reasoning, where reasoning has to be the
 * first of its turn: the provider joins messages of one role (W12). Behind what rendering says itself, a summary above all,
 * it only parts the two. Behind an answer, such as one that was cut off, it is the continuation that stood there when the
 * next one was asked for, and to which reasoning may be bound.
 */
export const openTurnsWithReasoning: Repair = {
  name: "open-turns-with-reasoning",
  apply(request, { requirements, input, warnings }) {
    const { reasoning } = requirements;
    const leads = reasoning.replay === "signed" ? (reasoning.leads ?? []) : [];
    if (leads.length === 0) return request;
    let opened: Draft[] | undefined;
    for (let index = 1; index < request.drafts.length; index++) {
      const draft = request.drafts[index] as Draft;
      const before = request.drafts[index - 1] as Draft;
      if (mustOpen(draft, before, leads) && !isPaused(request.drafts.slice(0, index), requirements)) {
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
 * Leaves out reasoning that nothing of the model's follows: at the end of an assistant turn, and before an answer of the host
 * that a log has in the midst of one. Where signed reasoning goes back, something must follow it (W12, W16).
 */
export const endWithoutReasoning: Repair = {
  name: "end-without-reasoning",
  apply(request, { requirements, warnings }) {
    if (requirements.reasoning.replay !== "signed") return request;
    const shortened = withoutLoneReasoning(request.drafts, requirements);
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

/** The messages with reasoning that has no follower in its run of assistant messages, and what is left of them without it. */
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
