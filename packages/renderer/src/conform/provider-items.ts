import {
  type AgentThread,
  actionOf,
  type ChatMessage,
  foldedPins,
  type LacksPin,
  type Message,
  type MessageId,
  type OpaquePart,
  type Part,
  type Pin,
  removesMessages,
} from "@threadfold/core";
import type { FormatRequirements, OpaquePair } from "../capabilities/format-requirements.ts";
import { requirementsFor } from "../capabilities/requirements-for.ts";
import type { RenderInput } from "../input/render-input.ts";
import { type Draft, isBlank, withParts } from "../neutral/draft.ts";
import { pinsMessage } from "../neutral/pins.ts";
import { END_OF_HISTORY } from "../neutral/summary-message.ts";
import { mapDrafts, type Repair, withDrafts } from "./conformance.ts";
import { firstEditedOrdinal, messagesSeen } from "./first-edit.ts";
import { opaqueReason } from "./parts/leave-out.ts";

/**
 * Leaves out opaque items that may only be sent in pairs: unanswered calls of hosted tools, and answers to calls that
 * are not shown (W1, W2). Of several items with one key, the first call and the first answer after it stay.
 */
export const leaveOutLoneItems: Repair = {
  name: "leave-out-lone-items",
  apply(request, { requirements, warnings, ends }) {
    const { opaquePairs = [] } = requirements;
    if (opaquePairs.length === 0) return request;
    const { paired, open } = pairItems(
      request.drafts.map(({ chat }) => chat),
      requirements,
    );
    const drafts = mapDrafts(request.drafts, (draft, index) => {
      let isCut: boolean | undefined;
      const mayStayOpen = (): boolean => !(isCut ??= isFoldNext(request.drafts, index));
      const parts = draft.chat.parts.filter((part) => {
        const item = pairKey(part, opaquePairs);
        const isPaired = item === undefined || paired.has(part) || (ends.last && open.has(part));
        return isPaired || (item.mayBeOpen && mayStayOpen());
      });
      if (parts.length === draft.chat.parts.length) return draft;
      warnings.leaveOut("opaque-left-out", "without-partner", draft.chat.sources);
      return parts.length === 0 ? null : withParts(draft, parts);
    });
    return withDrafts(request, drafts);
  },
};

/** Checks whether a fold follows a message and its results: what is missing may be in it. */
function isFoldNext(drafts: readonly Draft[], index: number): boolean {
  let next = index + 1;
  while (drafts[next]?.chat.role === "tool") next++;
  const chat = drafts[next]?.chat;
  return chat !== undefined && isFrame(chat);
}

/** Checks whether messages leave a call open for the provider to continue: nothing may be said after them. */
export const leaveItemOpen = (messages: readonly ChatMessage[], requirements: FormatRequirements): boolean =>
  requirements.opaquePairsInLoop === true && pairItems(messages, requirements).isOpen;

/** Checks whether an item is the host's answer to a call. An unnamed answer came from the provider, with the call. */
export function isAnswerOfHost(part: Part, { opaquePairs = [] }: Pick<FormatRequirements, "opaquePairs">): boolean {
  const item = pairKey(part, opaquePairs);
  return item?.isCall === false && item.isNamed;
}

/** Checks whether a message ends with what the provider answered to a call of its own. */
export function endsWithProviderAnswer({ chat }: Draft, { opaquePairs = [] }: FormatRequirements): boolean {
  const last = chat.parts.at(-1);
  return last !== undefined && pairKey(last, opaquePairs)?.isCall === false;
}

/** Calls without a name that await answers, of which the first ones are answered. */
interface UnnamedCalls {
  readonly calls: Part[];
  answered: number;
}

/** Pairs calls and answers among the opaque items that may be sent, message by message. */
export class ItemPairs {
  /** Calls and answers that have a partner. */
  readonly paired = new Set<Part>();
  /** The paired calls, by their answers. */
  readonly callOf = new Map<Part, Part>();
  readonly #requirements: FormatRequirements;
  readonly #awaiting = new Map<string, Part>();
  /** Only the first call with a name awaits an answer. */
  readonly #called = new Set<string>();

  constructor(requirements: FormatRequirements) {
    this.#requirements = requirements;
  }

  /** Calls that may still be answered: nobody spoke since. Empty if a call is never sent without its answer. */
  get open(): ReadonlySet<Part> {
    return new Set(this.isOpen ? this.#awaiting.values() : []);
  }

  get isOpen(): boolean {
    return this.#requirements.opaquePairsInLoop === true && this.#awaiting.size > 0;
  }

  add(message: ChatMessage): this {
    const { opaquePairs = [], opaquePairsInLoop } = this.#requirements;
    if (opaquePairsInLoop === true && isSpoken(message, this.#requirements)) this.#awaiting.clear();
    let unnamed: Map<string, UnnamedCalls> | undefined;
    for (const part of message.parts) {
      const item = pairKey(part, opaquePairs);
      if (item === undefined || part.type !== "opaque" || opaqueReason(part, this.#requirements) !== undefined)
        continue;
      unnamed ??= new Map();
      if (item.isCall) this.#call(part, item, unnamed);
      else this.#answer(part, item, unnamed);
    }
    return this;
  }

  #call(part: Part, { key, isNamed }: ItemKey, unnamed: Map<string, UnnamedCalls>): void {
    if (!isNamed)
      unnamed
        .set(key, unnamed.get(key) ?? { calls: [], answered: 0 })
        .get(key)
        ?.calls.push(part);
    else if (!this.#called.has(key)) this.#awaiting.set(key, part);
    this.#called.add(key);
  }

  #answer(part: Part, { key, isNamed }: ItemKey, unnamed: Map<string, UnnamedCalls>): void {
    const others = unnamed.get(key);
    const call = isNamed ? this.#awaiting.get(key) : others?.calls[others.answered];
    if (call === undefined) return;
    if (isNamed) this.#awaiting.delete(key);
    else if (others !== undefined) others.answered++;
    this.paired.add(call).add(part);
    this.callOf.set(part, call);
  }
}

export const pairItems = (messages: readonly ChatMessage[], requirements: FormatRequirements): ItemPairs =>
  messages.reduce((pairs, message) => pairs.add(message), new ItemPairs(requirements));

/**
 * Checks whether anyone but the model speaks, including a fold in its role: no provider continues after that. A message
 * with nothing to send says nothing.
 */
function isSpoken(message: ChatMessage, requirements: FormatRequirements): boolean {
  const { role, parts } = message;
  if (role === "assistant") return isFrame(message);
  return role !== "tool" && parts.some((part) => isSent(part, requirements));
}

const isSent = (part: Part, requirements: FormatRequirements): boolean =>
  part.type === "opaque" ? opaqueReason(part, requirements) === undefined : part.type !== "text" || !isBlank(part.text);

/** Checks whether a message replaces a span. The model's own log messages may contain a pointer as well. */
function isFrame({ synthetic, parts: [part] }: ChatMessage): boolean {
  if (synthetic !== "pointer") return synthetic === "summary";
  return part?.type === "text" && part.text.endsWith(END_OF_HISTORY);
}

type ItemKey = { readonly key: string } & Readonly<Record<"isCall" | "isNamed" | "mayBeOpen", boolean>>;

/** Returns the key that a call and its answer share; undefined for anything else. */
export function pairKey(part: Part, pairs: readonly OpaquePair[]): ItemKey | undefined {
  if (part.type !== "opaque") return undefined;
  const value = Object(part.value) as Readonly<Record<string, unknown>>;
  const { type } = value;
  const pair = pairs.find(({ call, answer }) => type === call || isOfType(type, answer));
  if (pair === undefined) return undefined;
  const isCall = type === pair.call;
  const given = value[pair.fields[isCall ? 0 : 1]]; // An object of a log need not have a text.
  const name = typeof given === "string" || typeof given === "number" ? given : null;
  const isNamed = name !== null;
  return { key: `${pair.call} ${name}`, isCall, isNamed, mayBeOpen: isCall && pair.mayBeOpen === true };
}

const isOfType = (type: unknown, answer: string): boolean =>
  answer.startsWith("*") && typeof type === "string" ? type.endsWith(answer.slice(1)) : type === answer;

/** Returns the item that replaces everything before it, if the provider accepts it; undefined if there is none. */
const standInOf = (parts: readonly Part[], requirements: FormatRequirements): OpaquePart | undefined =>
  parts.find(
    (part): part is OpaquePart => isStandIn(part, requirements) && opaqueReason(part, requirements) === undefined,
  );

function isStandIn(part: Part, { standIn }: FormatRequirements): part is OpaquePart {
  if (standIn === undefined || part.type !== "opaque") return false;
  const value = fieldsOf(part);
  return value["type"] === standIn.type && standIn.contents.some((field) => isText(value[field]));
}

const fieldsOf = ({ value }: OpaquePart): Readonly<Record<string, unknown>> => Object(value);
const isText = (value: unknown): boolean => typeof value === "string" && !isBlank(value);

/**
 * Returns the signed item that begins the log, before any edit, and after which the provider accepts no other; else
 * undefined.
 */
function signedOpening({ plan, thread }: RenderInput, requirements: FormatRequirements): OpaquePart | undefined {
  const edited = firstEditedOrdinal(plan, thread) ?? Number.POSITIVE_INFINITY;
  let ordinal = 0;
  while (ordinal < edited && isPassedOver(thread.messageAt(ordinal))) ordinal++;
  if (ordinal >= edited) return undefined;
  const [part] = thread.messageAt(ordinal)?.parts ?? [];
  const isSigned = part !== undefined && isStandIn(part, requirements) && requirements.standIn?.firstWith !== undefined;
  return isSigned && isText(fieldsOf(part)[requirements.standIn?.firstWith ?? ""]) ? part : undefined;
}

const isPassedOver = (message: Message | undefined): boolean =>
  message !== undefined && (message.role === "system" || message.branch !== undefined);

/** Checks whether the plan sends this message instead of everything before it; see `CompactionPlan.providerItem`. */
export const isOpenedBy = (
  message: Message | null,
  { plan }: Pick<RenderInput, "plan">,
  requirements: FormatRequirements,
): boolean =>
  message !== null && message.id === plan.providerItem && standInOf(message.parts, requirements) !== undefined;

/** Whose items count: a format's requirements, and the model that requests are sent to. */
interface ItemTarget extends Pick<RenderInput, "model" | "capabilities"> {
  readonly requirements: FormatRequirements;
}

/** Checks whether the provider makes items that replace everything before them, and the model accepts them. */
export function takesProviderItems(target: ItemTarget): boolean {
  const { standIn } = requirementsFor(target.requirements, target);
  return standIn !== undefined && standIn.refused !== true;
}

/** Checks whether a message contains such an item. */
export const holdsProviderItem = ({ parts }: Pick<Message, "parts">, target: ItemTarget): boolean =>
  standInOf(parts, requirementsFor(target.requirements, target)) !== undefined;

/**
 * Returns the newest main-branch message with an item that, at the provider, replaces everything before it. Null when
 * there is none after the given version of the thread, or the model accepts none.
 */
export function newestProviderItem(thread: AgentThread, since: number, target: ItemTarget): MessageId | null {
  if (!takesProviderItems(target)) return null;
  const entry = thread
    .entriesBetween(since)
    .findLast(
      (each) => each.type === "message" && each.message.branch === undefined && holdsProviderItem(each.message, target),
    );
  return entry?.type === "message" ? entry.message.id : null;
}

/**
 * Begins the request with the item that the plan names, if the provider accepts it: the item contains what came before
 * it, which the provider ignores or rejects. Earlier system messages and pins are repeated verbatim after the item,
 * since nobody knows whether it contains them.
 */
export const openWithProviderItem: Repair = {
  name: "open-with-provider-item",
  end: "first",
  apply(request, { requirements, input }) {
    const at = request.drafts.findIndex(({ message }) => isOpenedBy(message, input, requirements));
    const draft = request.drafts[at];
    const item = draft === undefined ? undefined : standInOf(draft.chat.parts, requirements);
    if (draft === undefined || item === undefined) return request;
    const before = request.drafts.slice(0, at);
    const behind = request.drafts.slice(at + 1);
    const seen = messagesSeen(input.plan, input.thread);
    const next = behind.findIndex(({ chat, ordinal }) => chat.role !== "tool" || ordinal >= seen);
    const results = next < 0 ? behind : behind.slice(0, next);
    const pins = pinsBefore(draft, item, input);
    return withDrafts(request, [
      ...(requirements.standIn?.keeps === "user" ? before.filter(isOfUser) : []),
      withParts(draft, draft.chat.parts.slice(draft.chat.parts.indexOf(item))),
      ...results,
      ...before.filter(({ chat }) => chat.role === "system"),
      ...(pins.length === 0 ? [] : [pinsMessage(pins, results.at(-1)?.ordinal ?? draft.ordinal)]),
      ...behind.slice(results.length),
    ]);
  },
};

const isOfUser = ({ chat, action }: Draft): boolean => chat.role === "user" && action !== "pins";

/** Returns the pins that were live when the plan was made and that no message from the item on states. */
function pinsBefore({ ordinal, chat }: Draft, item: Part, { thread, plan }: RenderInput): readonly Pin[] {
  const folded = new Set(foldedPins(thread, plan));
  const isBefore = ({ source, text }: Pin): boolean => {
    const said = source === undefined ? undefined : thread.messageInMemory(source.messageId);
    return said !== undefined && (said.ordinal === ordinal ? !says(chat.parts, item, text) : said.ordinal < ordinal);
  };
  return thread.atVersion(plan.threadVersion).livePins.filter((pin) => folded.has(pin) || isBefore(pin));
}

/** Checks whether one of the texts from an item on contains a text. */
const says = (parts: readonly Part[], item: Part, text: string): boolean =>
  parts.slice(parts.indexOf(item)).some((part) => part.type === "text" && part.text.includes(text));

/**
 * Returns which pins made after the plan a request has to repeat, because an item that opens it stands for what they
 * quote; undefined if no item opens it.
 */
export function pinsLacking({ thread, plan }: RenderInput, requirements: FormatRequirements): LacksPin | undefined {
  const opening = plan.providerItem === undefined ? undefined : thread.messageInMemory(plan.providerItem);
  const item = opening === undefined ? undefined : standInOf(opening.parts, requirements);
  if (opening === undefined || item === undefined || opening.branch !== undefined) return undefined;
  const { record } = actionOf(plan, opening.id, opening.ordinal);
  if (record !== null && removesMessages(record)) return undefined;
  const { ordinal, parts } = opening;
  const keepsUser = requirements.standIn?.keeps === "user";
  return ({ text }, said) =>
    said.ordinal === ordinal
      ? !says(parts, item, text)
      : said.ordinal < ordinal && !(keepsUser && said.role === "user");
}

/**
 * Leaves out items of a provider's compaction where they must not take effect: one that may only come first, and one
 * after a fold, since the provider would ignore the plan's summaries. The messages they replace are shown.
 */
export const leaveOutMisplacedItems: Repair = {
  name: "leave-out-misplaced-items",
  apply(request, { requirements, input, warnings, ends }) {
    const { standIn } = requirements;
    if (standIn === undefined || standIn.refused === true) return request;
    const edited = firstEditedOrdinal(input.plan, input.thread);
    const signed = signedOpening(input, requirements);
    const drafts = mapDrafts(request.drafts, (draft, index) => {
      const named = isOpenedBy(draft.message, input, requirements);
      const isHeld = (part: OpaquePart, place: number): boolean =>
        (place === 0 && (named || (ends.first && index === 0))) ||
        !(
          signed !== undefined ||
          isText(fieldsOf(part)[standIn.firstWith ?? ""]) ||
          (edited !== null && edited < draft.ordinal)
        );
      const parts = draft.chat.parts.filter((part, place) => !isStandIn(part, requirements) || isHeld(part, place));
      if (parts.length === draft.chat.parts.length) return draft;
      warnings.leaveOut("opaque-left-out", "misplaced", draft.chat.sources);
      return parts.length === 0 ? null : withParts(draft, parts);
    });
    return withDrafts(request, drafts);
  },
};
