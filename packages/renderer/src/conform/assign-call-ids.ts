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
import type { WarningLog } from "../warnings/warning-log.ts";
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

/** Returns the same call under a different id. */
const renamedCall = derivation(
  (call: ToolCallPart, id: string): ToolCallPart => renamed(call, { ...call, callId: asToolCallId(id) }),
);

/** Returns the same result under the id and the name of its call. */
const renamedResult = derivation(
  (part: ToolResultPart, { callId, toolName }: ToolCallPart): ToolResultPart =>
    renamed(part, { ...part, result: { ...part.result, callId, toolName } }),
);

function renamed<Kind extends NamedPart>(origin: Kind, part: Kind): Kind {
  renamings.set(part, { origin, tokenizer: null, tokens: 0 });
  return part;
}

/** Returns the part that a renamed one was made from; undefined for any other part. */
export const originOf = (part: object): NamedPart | undefined => renamings.get(part)?.origin;

/**
 * Returns the extra cost of the new id and name, in tokens; 0 for a part that was not renamed. Counted on the call or
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
 * once (G7, W5). The first use of an id keeps it. Results get the name of their call as well, whatever the log says. By
 * now they follow their calls in order, so they are found by position.
 */
export const assignCallIds: Repair = {
  name: "assign-call-ids",
  apply(request, { requirements: { callIds }, warnings, ends }) {
    const ids = new CallIds(callIds, ends.callIdsBefore);
    const drafts = mapDrafts(request.drafts, (draft) => {
      const { role } = draft.chat;
      if (role === "assistant") ids.startBatch();
      if (role === "assistant") return withCallIds(draft, ids, warnings);
      return role === "tool" ? withResultId(draft, ids, warnings) : draft;
    });
    return withDrafts(request, drafts);
  },
};

function withCallIds(draft: Draft, ids: CallIds, warnings: WarningLog): Draft {
  let changed: Part[] | undefined;
  draft.chat.parts.forEach((part, index) => {
    if (part.type !== "tool-call") return;
    const call = ids.give(part);
    if (call === part) return;
    changed ??= [...draft.chat.parts];
    changed[index] = call;
  });
  if (changed === undefined) return draft;
  warnings.add("call-id-changed", draft.chat.sources);
  return withParts(draft, changed);
}

function withResultId(draft: Draft, ids: CallIds, warnings: WarningLog): Draft {
  const [part] = draft.chat.parts;
  const call = ids.take();
  if (part?.type !== "tool-result" || call === undefined) return draft;
  const { callId, toolName } = part.result;
  if (callId !== call.callId) warnings.add("call-id-changed", draft.chat.sources);
  else if (toolName === call.toolName) return draft;
  return withParts(draft, [renamedResult(part, call)]);
}

/** Assigns ids to calls from left to right, so that a later call never changes an earlier one, and to their results. */
class CallIds {
  readonly #requirement: CallIdRequirement;
  readonly #settled: SentCallIds;
  readonly #taken: Set<string>;
  readonly #numbers = new Map<string, number>();
  #pending: ToolCallPart[] = [];
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

  /** Returns the next call with its id. */
  give(part: ToolCallPart): ToolCallPart {
    // Computed again each time: remembering it for every call of a long thread would cost more in garbage collection.
    const base = acceptedName(part.callId, this.#requirement) || "call";
    const id = this.#settled.has(base) || this.#taken.has(base) ? this.#numbered(base) : base;
    this.#taken.add(id);
    const call = id === part.callId ? part : renamedCall(part, id);
    this.#pending.push(call);
    return call;
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

  /** Returns the call of the next result of the batch. */
  take(): ToolCallPart | undefined {
    return this.#pending[this.#answered++];
  }
}

const NONE_BEFORE: CallIdsBefore = { settled: SentCallIds.none(), since: [] };
