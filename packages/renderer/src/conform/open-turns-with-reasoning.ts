import type { Part } from "@threadfold/core";
import type { Draft } from "../neutral/draft.ts";
import { madeDraft } from "../neutral/made-draft.ts";
import { CONTINUATION } from "./append-tail.ts";
import { type Repair, withDrafts } from "./conformance.ts";

/**
 * Puts a marked user message between what rendering says as the assistant, a summary above all, and a message that begins
 * with reasoning, where reasoning has to be the first of its turn: the provider joins messages of one role (W12).
 */
export const openTurnsWithReasoning: Repair = {
  name: "open-turns-with-reasoning",
  apply(request, { requirements: { reasoning }, warnings }) {
    const leads = reasoning.replay === "signed" ? (reasoning.leads ?? []) : [];
    if (leads.length === 0) return request;
    let opened: Draft[] | undefined;
    for (let index = 1; index < request.drafts.length; index++) {
      const draft = request.drafts[index] as Draft;
      if (mustOpen(draft, request.drafts[index - 1] as Draft, leads)) {
        warnings.add("turn-opened", draft.chat.sources);
        opened ??= request.drafts.slice(0, index);
        opened.push(opening(draft));
      }
      opened?.push(draft);
    }
    return opened === undefined ? request : withDrafts(request, opened);
  },
};

const mustOpen = ({ chat }: Draft, before: Draft, leads: readonly string[]): boolean =>
  chat.role === "assistant" &&
  before.chat.role === "assistant" &&
  before.message === null &&
  isLeading(
    chat.parts.find(({ type }) => type !== "opaque"),
    leads,
  );

const isLeading = (part: Part | undefined, leads: readonly string[]): boolean =>
  part?.type === "reasoning" && (leads.includes("*") || leads.includes(part.provider ?? ""));

const opening = ({ ordinal }: Draft): Draft =>
  madeDraft(CONTINUATION, { role: "user", synthetic: "placeholder", action: "opening", share: "overhead", ordinal });
