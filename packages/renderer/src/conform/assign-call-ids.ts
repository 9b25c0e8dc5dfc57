import type { Part, ToolCallPart } from "@threadfold/core";
import { renamedPart } from "../counting/renamed-part.ts";
import { derivation } from "../neutral/derivation.ts";
import { type Draft, withParts } from "../neutral/draft.ts";
import { acceptedName } from "./accepted-name.ts";
import { mapDrafts, type Repair, withDrafts } from "./conformance.ts";
import type { FormatRequirements } from "./format-requirements.ts";

type CallIdRequirement = FormatRequirements["callIds"];

/**
 * Gives calls and their results ids that the provider accepts and that are used once where they must be (G7, W5). The
 * first use of an id keeps it. Results stand behind their calls in order by now, so they are found by place.
 */
export const assignCallIds: Repair = {
  name: "assign-call-ids",
  apply(request, { requirements: { callIds }, warnings }) {
    const ids = new CallIds(callIds);
    const drafts = mapDrafts(request.drafts, (draft) => {
      const { role } = draft.chat;
      if (role === "assistant") ids.startBatch();
      const next = role === "assistant" ? withCallIds(draft, ids) : role === "tool" ? withResultId(draft, ids) : draft;
      if (next !== draft) warnings.add("call-id-changed", draft.chat.sources);
      return next;
    });
    return withDrafts(request, drafts);
  },
};

function withCallIds(draft: Draft, ids: CallIds): Draft {
  let changed: Part[] | undefined;
  draft.chat.parts.forEach((part, index) => {
    if (part.type !== "tool-call") return;
    const id = ids.give(part);
    if (id === part.callId) return;
    changed ??= [...draft.chat.parts];
    changed[index] = renamedPart(part, id);
  });
  return changed === undefined ? draft : withParts(draft, changed);
}

function withResultId(draft: Draft, ids: CallIds): Draft {
  const [part] = draft.chat.parts;
  const id = ids.take();
  if (part?.type !== "tool-result" || id === undefined || id === part.result.callId) return draft;
  return withParts(draft, [renamedPart(part, id)]);
}

const acceptedId = derivation(
  ({ callId }: ToolCallPart, requirement: CallIdRequirement): string => acceptedName(callId, requirement) || "call",
);

/** Gives ids to calls from left to right, so that what comes later never changes an earlier one, and to their results. */
class CallIds {
  readonly #requirement: CallIdRequirement;
  readonly #taken = new Set<string>();
  readonly #uses = new Map<string, number>();
  #pending: string[] = [];

  constructor(requirement: CallIdRequirement) {
    this.#requirement = requirement;
  }

  startBatch(): void {
    this.#pending = [];
    if (this.#requirement.uniqueIn === "request") return;
    this.#taken.clear();
    this.#uses.clear();
  }

  /** The id of the next call. */
  give(part: ToolCallPart): string {
    const base = acceptedId(part, this.#requirement);
    let id = base;
    let use = this.#uses.get(base) ?? 1;
    while (this.#taken.has(id)) id = acceptedName(`${base}-${++use}`, this.#requirement);
    if (use > 1) this.#uses.set(base, use);
    this.#taken.add(id);
    this.#pending.push(id);
    return id;
  }

  /** The id of the next result of the batch. */
  take(): string | undefined {
    return this.#pending.shift();
  }
}
