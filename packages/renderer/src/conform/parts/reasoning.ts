import type {
  JsonObject,
  JsonValue,
  Message,
  OpaquePart,
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
} from "@threadfold/core";
import type { FormatRequirements, ReasonedItems } from "../../capabilities/format-requirements.ts";
import { derivation } from "../../input/derivation.ts";
import { isSameModel } from "../../input/model-capabilities.ts";
import type { RenderInput } from "../../input/render-input.ts";
import type { LeftOutReason } from "../../warnings/render-warning.ts";
import type { Conformance, PartPlace, PartRepair } from "../conformance.ts";
import { messagesSeen, reasoningBoundary } from "../first-edit.ts";
import { isOpenedBy } from "../provider-items.ts";
import { isHandover } from "./leave-out.ts";

/**
 * Leaves out reasoning that the provider does not take back: of another provider, unsigned, or bound to a prefix that
 * has changed since (W12, W13). Whatever a model wrote after the plan was made is bound to the prefix that the plan
 * produces.
 */
export const stripReasoning: PartRepair<ReasoningPart> = {
  name: "strip-reasoning",
  apply(part, place, conformance) {
    const reason = reasonAgainst(part, place, conformance);
    if (reason === undefined) return part;
    conformance.warnings.leaveOut("reasoning-left-out", reason, place.draft.chat.sources);
    return null;
  },
};

const ANY_PROOF = ["signature", "encrypted"] as const;

function reasonAgainst(
  part: ReasoningPart,
  { draft, behindMove }: PartPlace,
  { requirements, input }: Conformance,
): LeftOutReason["reasoning-left-out"] | undefined {
  const { reasoning } = requirements;
  if (reasoning.replay !== "signed") return reasoning.replay === "never" ? "not-replayed" : undefined;
  if (!(reasoning.proofs ?? ANY_PROOF).some((proof) => part[proof]))
    return reasoning.unsigned === "kept" ? undefined : "not-signed";
  if (reasoning.provider !== "*" && part.provider !== reasoning.provider) return "other-provider";
  if (isOfOtherModel(draft, input.model, requirements)) return "other-model";
  if (reasoning.binding !== "prefix-bound") return undefined;
  if (behindMove) return "behind-an-edit";
  // Reasoning after the provider's own item had nothing else before it.
  if (isOpenedBy(draft.message, input, requirements)) return undefined;
  return isBehindEdit(draft.ordinal, input) ? "behind-an-edit" : undefined;
}

const isBehindEdit = (ordinal: number, { plan, thread }: RenderInput): boolean =>
  ordinal >= reasoningBoundary(plan, thread) && ordinal < messagesSeen(plan, thread);

/** A proof is valid only for the models that wrote the answer. A log that names no model is trusted. */
const isOfOtherModel = (
  { message }: PartPlace["draft"],
  model: string | undefined,
  requirements: FormatRequirements,
): boolean =>
  model !== undefined &&
  message?.model !== undefined &&
  !isSameModel(message.model, model) &&
  !handedBetween(message, requirements).some((other) => isSameModel(other, model));

/** Returns the models that an answer was handed between: the provider validates each part as that of its model. */
const handedBetween = ({ parts }: Message, requirements: FormatRequirements): readonly string[] =>
  parts.flatMap((part) => {
    if (part.type !== "opaque" || !isHandover(part, requirements)) return [];
    const { from, to } = Object(part.value) as JsonObject;
    return [from, to].map((end) => String(Object(end).model));
  });

/**
 * Leaves out items that the provider rejects without their reasoning where that is left out, or sends them without the
 * id that ties them to it (W16). The item stays where no reasoning came before it.
 */
export const leaveOutWithReasoning: PartRepair<OpaquePart> = {
  name: "leave-out-with-reasoning",
  apply(part, place, conformance) {
    const { opaqueReasoned } = conformance.requirements;
    const tie = opaqueReasoned === undefined ? undefined : tieOf(part, opaqueReasoned);
    if (opaqueReasoned === undefined || tie === undefined || hasReasoning(part, place, conformance)) return part;
    if (tie === "optional") return withoutField(part, opaqueReasoned.field);
    conformance.warnings.leaveOut("opaque-left-out", "without-reasoning", place.draft.chat.sources);
    return null;
  },
};

/** Returns whether the field that ties an item to its reasoning may be missing; undefined if nothing ties it. */
export function tieOf(
  { value }: OpaquePart,
  { field, optional, required }: ReasonedItems,
): "optional" | "required" | undefined {
  const fields = Object(value) as Readonly<Record<string, unknown>>;
  const type = String(fields["type"]);
  if (typeof fields[field] !== "string") return undefined;
  if (optional.includes(type)) return "optional";
  return required.includes(type) ? "required" : undefined;
}

function hasReasoning(part: OpaquePart, place: PartPlace, conformance: Conformance): boolean {
  const { message, chat } = place.draft;
  const reasoning = message === null ? undefined : reasoningBefore(message, null).get(part);
  if (reasoning === undefined) return true;
  return shown(chat.parts, null).has(reasoning) && reasonAgainst(reasoning, place, conformance) === undefined;
}

/** A plan may have cleared reasoning before any repair looks at it. */
const shown = derivation((parts: readonly Part[], _key: null): ReadonlySet<Part> => new Set(parts));

/** Maps the opaque items of a message to the reasoning that came last before them. */
const reasoningBefore = derivation(({ parts }: Message, _key: null): ReadonlyMap<Part, ReasoningPart> => {
  const found = new Map<Part, ReasoningPart>();
  let latest: ReasoningPart | undefined;
  for (const part of parts) {
    if (part.type === "reasoning") latest = part;
    else if (part.type === "opaque" && latest !== undefined) found.set(part, latest);
  }
  return found;
});

/** Reasoning, and the parts up to the next reasoning, which it led to. */
export interface SharedReasoning {
  readonly reasoning: readonly Part[];
  readonly behind: readonly Part[];
}

/** Divides the parts of a message by the reasoning that they share; the first may have none. */
export function sharedReasoning(parts: readonly Part[]): readonly SharedReasoning[] {
  const starts = parts.flatMap(({ type }, index) =>
    index === 0 || (type === "reasoning" && parts[index - 1]?.type !== "reasoning") ? [index] : [],
  );
  return starts.map((start, nth) => {
    const all = parts.slice(start, starts[nth + 1]);
    const reasoning = all.filter(({ type }) => type === "reasoning");
    return { reasoning, behind: all.slice(reasoning.length) };
  });
}

/** Returns an item without the field that ties it to its reasoning. */
export const withoutField = derivation((part: OpaquePart, field: string): OpaquePart => {
  const { [field]: _field, ...rest } = part.value as Readonly<Record<string, JsonValue>>;
  return { ...part, value: rest };
});

/** Fields that a provider puts on texts and calls to prove that it wrote them. */
type SignatureRequirement = NonNullable<FormatRequirements["signatures"]>;

/**
 * Removes signatures that another model of the provider put on texts and calls: they are invalid for this one (W15).
 */
export const stripSignature: PartRepair<TextPart | ToolCallPart> = {
  name: "strip-signature",
  apply(part, { draft }, { requirements: { signatures }, input, warnings }) {
    const author = draft.message?.model;
    const isForeign = author !== undefined && input.model !== undefined && !isSameModel(author, input.model);
    if (signatures === undefined || !isForeign || !isSigned(part, signatures)) return part;
    warnings.leaveOut("reasoning-left-out", "other-model", draft.chat.sources);
    return unsigned(part, signatures);
  },
};

const isSigned = ({ providerMetadata }: TextPart | ToolCallPart, { provider, fields }: SignatureRequirement): boolean =>
  fields.some((field) => providerMetadata?.[provider]?.[field] !== undefined);

const unsigned = derivation(
  (part: TextPart | ToolCallPart, { provider, fields }: SignatureRequirement): TextPart | ToolCallPart => {
    const metadata: JsonObject = part.providerMetadata?.[provider] ?? {};
    const kept = Object.fromEntries(Object.entries(metadata).filter(([field]) => !fields.includes(field)));
    return { ...part, providerMetadata: { ...part.providerMetadata, [provider]: kept } };
  },
);
