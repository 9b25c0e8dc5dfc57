import {
  asToolCallId,
  type Part,
  type ProviderAwareTokenizer,
  type ToolCallPart,
  type ToolResultPart,
} from "@threadfold/core";
import { acceptedName, type FormatRequirements } from "../capabilities/format-requirements.ts";
import { derivation } from "../input/derivation.ts";
import { type Draft, withParts } from "../neutral/draft.ts";
import { type CallIdsBefore, mapDrafts, type Repair, SentCallIds, withDrafts } from "./conformance.ts";

/** A part that names a call. */
export type NamedPart = ToolCallPart | ToolResultPart;

/** The part that a renamed part was made from, and the token cost of the new id by the counter that was used last. */
interface Renaming {
  readonly origin: NamedPart;
  tokenizer: string | null;
  tokens: number;
}

const renamings = new WeakMap<object, Renaming>();

/** Returns the same call or result under a different call id. */
const renamedPart = derivation((part: NamedPart, id: string): NamedPart => {
  const callId = asToolCallId(id);
  const renamed = part.type === "tool-call" ? { ...part, callId } : { ...part, result: { ...part.result, callId } };
  renamings.set(renamed, { origin: part, tokenizer: null, tokens: 0 });
  return renamed;
});

/** Returns the part that a renamed one was made from; undefined for any other part. */
export const originOf = (part: object): NamedPart | undefined => renamings.get(part)?.origin;

/**
 * Returns the extra cost of the new call id, in tokens; 0 for a part that was not renamed. Counted on the call or
 * result without its body, which is unchanged and may be large.
 */
export function renamingTokens(part: object, tokenizer: ProviderAwareTokenizer): number {
  const renaming = renamings.get(part);
  if (renaming === undefined) return 0;
  if (renaming.tokenizer !== tokenizer.id) {
    const before = tokenizer.countPart(withoutBody(renaming.origin));
    renaming.tokens = tokenizer.countPart(withoutBody(part as NamedPart)) - before;
    renaming.tokenizer = tokenizer.id;
  }
  return renaming.tokens;
}

function withoutBody(part: NamedPart): NamedPart {
  if (part.type === "tool-result") return { ...part, result: { ...part.result, content: { type: "text", text: "" } } };
  const { invalidInput: _text, ...call } = part;
  return { ...call, input: {} };
}

type CallIdRequirement = FormatRequirements["callIds"];

/**
 * Changes the ids of calls and their results to ids that the provider accepts and, where required, that are used only
 * once (G7, W5). The first use of an id keeps it. By now results follow their calls in order, so they are found by
 * position.
 */
export const assignCallIds: Repair = {
  name: "assign-call-ids",
  apply(request, { requirements: { callIds }, warnings, ends }) {
    const ids = new CallIds(callIds, ends.callIdsBefore);
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

/** Assigns ids to calls from left to right, so that a later call never changes an earlier one, and to their results. */
class CallIds {
  readonly #requirement: CallIdRequirement;
  readonly #settled: SentCallIds;
  readonly #taken: Set<string>;
  readonly #numbers = new Map<string, number>();
  #pending: string[] = [];
  #answered = 0;

  constructor(requirement: CallIdRequirement, { settled, since }: CallIdsBefore = NONE_BEFORE) {
    this.#requirement = requirement;
    this.#settled = settled;
    this.#taken = new Set(since);
  }

  startBatch(): void {
    this.#pending = [];
    this.#answered = 0;
    if (this.#requirement.uniqueIn === "request") return;
    this.#taken.clear();
    this.#numbers.clear();
  }

  /** Returns the id of the next call. */
  give(part: ToolCallPart): string {
    // Computed again each time: remembering it for every call of a long thread would cost more in garbage collection.
    const base = acceptedName(part.callId, this.#requirement) || "call";
    const id = this.#settled.has(base) || this.#taken.has(base) ? this.#numbered(base) : base;
    this.#taken.add(id);
    this.#pending.push(id);
    return id;
  }

  /** Returns the first numbered id of a base that is free. */
  #numbered(base: string): string {
    const settled = this.#settled.lastNumber(base);
    let number = Math.max(settled, this.#numbers.get(base) ?? 1);
    let next = this.#idOf(base, number + 1);
    for (; this.#settled.has(next); next = this.#idOf(base, number + 1)) number++;
    if (number > settled && !this.#numbers.has(base)) this.#settled.noteNumber(base, number);
    for (; this.#settled.has(next) || this.#taken.has(next); next = this.#idOf(base, number + 1)) number++;
    this.#numbers.set(base, number + 1);
    return next;
  }

  #idOf(base: string, number: number): string {
    return acceptedName(`${base}-${number}`, this.#requirement);
  }

  /** Returns the id of the next result of the batch. */
  take(): string | undefined {
    return this.#pending[this.#answered++];
  }
}

const NONE_BEFORE: CallIdsBefore = { settled: SentCallIds.none(), since: [] };
