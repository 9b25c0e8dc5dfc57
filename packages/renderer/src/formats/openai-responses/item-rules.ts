import { asText, at, type Finding, isPlainObject, type LegalityRule } from "../../legality/legality-rule.ts";
import { PAIRING_RULES, type PairedView } from "../../legality/pairing-rules.ts";
import { MAX_ID_LENGTH, REASONED_ITEMS } from "./item-ids.ts";
import type { PlacedItem, ResponsesView } from "./responses-view.ts";

export const stateless: LegalityRule<ResponsesView> = {
  id: "stateless",
  description: "If nothing is stored, nothing refers to stored items: reasoning carries its encrypted content.",
  reference: "Reasoning",
  find({ store, items }) {
    if (store !== false) return [];
    return items.flatMap(({ kind, item, index }) => {
      if (kind === "item_reference") return [{ place: at(index), problem: "the item is not stored" }];
      if (kind !== "reasoning" || asText(item.encrypted_content)) return [];
      return [
        { place: at(index, undefined, "encrypted_content"), problem: "the reasoning lacks its encrypted content" },
      ];
    });
  },
};

/**
 * Nothing in a payload says which reasoning an item came with. So this rule may be stricter than the API: in a request
 * to a reasoning model, an item with an id must have reasoning before it in the same run of the model's items. Hosted
 * items cannot do without their id, and models that do not reason write them as well: theirs are reported only if the
 * request asks for reasoning itself.
 */
export const reasoningPairs: LegalityRule<ResponsesView> = {
  id: "W16",
  description:
    "Reasoning is followed by an item of the model, and no message, call or hosted item keeps its id without reasoning before it.",
  reference: "Reasoning",
  find: (view) => [...view.items.flatMap((one, index) => withoutFollower(one, view.items[index + 1])), ...lonely(view)],
};

function withoutFollower(one: PlacedItem, next: PlacedItem | undefined): readonly Finding[] {
  if (one.kind !== "reasoning" || next?.side === "calls") return [];
  return [{ place: at(one.index), problem: "the reasoning lacks the item that follows it" }];
}

/** The last reasoning of a run is checked above; whether it is the right one cannot be determined. */
function lonely(view: ResponsesView): readonly Finding[] {
  const bound = boundKinds(view);
  let hasReasoning = false;
  return view.items.flatMap((one) => {
    hasReasoning = one.side === "calls" && (hasReasoning || one.kind === "reasoning");
    if (hasReasoning || !bound.includes(one.kind) || one.side !== "calls" || typeof one.item.id !== "string") return [];
    return [{ place: at(one.index, undefined, "id"), problem: "the item keeps its id without its reasoning" }];
  });
}

const OWN: readonly string[] = ["message", "function_call", "custom_tool_call"];
const WITH_HOSTED: readonly string[] = [...OWN, ...REASONED_ITEMS.required, ...REASONED_ITEMS.optional];

/** Returns the kinds of items whose id needs reasoning in this request. */
function boundKinds({ payload: { reasoning }, items }: ResponsesView): readonly string[] {
  if (isPlainObject(reasoning) && reasoning.effort !== "none") return WITH_HOSTED;
  return isPlainObject(reasoning) || items.some(({ kind }) => kind === "reasoning") ? OWN : [];
}

/** If the provider stores earlier items, the program may be among them. */
export const callers: LegalityRule<ResponsesView> = {
  id: "callers",
  description: "A call of a program, and its output, come after the program.",
  reference: "Call → result",
  find({ items, continues }) {
    const programs = new Set<unknown>();
    if (continues) return [];
    return items.flatMap(({ kind, item: { call_id, caller }, index }) => {
      if (kind === "program") programs.add(call_id);
      const isKnown = !isPlainObject(caller) || caller.type !== "program" || programs.has(caller.caller_id);
      return isKnown ? [] : [{ place: at(index, undefined, "caller"), problem: "no program before it made the call" }];
    });
  },
};

const ROLES: readonly unknown[] = ["system", "developer", "user", "assistant"];

/** Unknown kinds are accepted: newer models add some. */
export const knownRoles: LegalityRule<ResponsesView> = {
  id: "roles",
  description: "An item has a type or is a message, and messages have the role system, developer, user or assistant.",
  reference: "Roles",
  find: ({ items }) =>
    items.flatMap(({ item: { role }, kind, index }) => {
      if (kind === "") return [{ place: at(index), problem: "the item has no type" }];
      const isKnown = kind !== "message" || ROLES.includes(role);
      return isKnown ? [] : [{ place: at(index, undefined, "role"), problem: "the role is not known" }];
    }),
};

export const hasInput: LegalityRule<ResponsesView> = {
  id: "input",
  description: "There is at least one item.",
  reference: "Empty content",
  find: ({ items }) => (items.length > 0 ? [] : [{ place: { path: "$.input" }, problem: "there are no items" }]),
};

export const wholeCompaction: LegalityRule<ResponsesView> = {
  id: "compaction",
  description: "A compaction item carries its encrypted content.",
  reference: "Compaction objects",
  find: ({ items }) =>
    items
      .filter(({ kind, item }) => kind === "compaction" && !asText(item.encrypted_content))
      .map(({ index }) => ({ place: at(index, undefined, "encrypted_content"), problem: "there is no content" })),
};

/** Required prefixes of item ids. Messages that the host writes may have any id; hosted tools have their own. */
const PREFIXES: Readonly<Record<string, string>> = {
  message: "",
  reasoning: "rs",
  function_call: "fc",
  custom_tool_call: "ctc",
};

export const itemIdForm: LegalityRule<ResponsesView> = {
  id: "item-id-form",
  description: `The id of an item has at most ${MAX_ID_LENGTH} characters and begins as its type requires.`,
  reference: "Duplicate ids",
  find: ({ items }) =>
    items.flatMap(({ item: { id }, kind, index }) => {
      const prefix = PREFIXES[kind];
      if (typeof id !== "string" || prefix === undefined) return [];
      if (id.length <= MAX_ID_LENGTH && id.startsWith(prefix)) return [];
      return [{ place: at(index, undefined, "id"), problem: "the id does not have the form that its type requires" }];
    }),
};

export const itemIdOnce: LegalityRule<ResponsesView> = {
  id: "item-id-once",
  description: "An item appears in the request only once.",
  reference: "Duplicate ids",
  find({ items }) {
    const seen = new Set<string>();
    return items.flatMap(({ item: { id }, kind, index }) =>
      typeof id !== "string" || kind === "item_reference" || (!seen.has(id) && seen.add(id))
        ? []
        : [{ place: at(index, undefined, "id"), problem: "an earlier item has the same id" }],
    );
  },
};

/**
 * What pairing means here. Others may speak between a call and its output (W3, W4): both only need to exist, in order.
 */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  W1: "Every call is followed by its output.",
  W2: "Every output answers a call in the request.",
  W5: "A call has only one output.",
  W6: "An output follows its own call, not another one.",
  W7: "All calls of a batch have an output.",
  W8: "An output comes after its call.",
};

export const pairing: readonly LegalityRule<ResponsesView>[] = PAIRING_RULES.flatMap((rule) => {
  const description = DESCRIPTIONS[rule.id];
  return description === undefined ? [] : [{ ...rule, description, find: (view) => findWithin(rule, view) }];
});

/** If the provider stores earlier items, the call of an output may be among them. */
function findWithin(rule: LegalityRule<PairedView>, view: ResponsesView): ReturnType<typeof rule.find> {
  return view.continues && rule.id === "W2" ? [] : rule.find(view);
}
