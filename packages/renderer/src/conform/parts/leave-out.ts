import type { OpaquePart, Part, TextPart, ToolResultPart } from "@threadfold/core";
import type { FormatRequirements } from "../../capabilities/format-requirements.ts";
import { derivation } from "../../input/derivation.ts";
import { isSameModel } from "../../input/model-capabilities.ts";
import { answersOf, type Draft, isBlank, withParts } from "../../neutral/draft.ts";
import type { LeftOutReason } from "../../warnings/render-warning.ts";
import {
  type Conformance,
  mapDrafts,
  type PartPlace,
  type PartRepair,
  type Repair,
  withDrafts,
} from "../conformance.ts";

/** Leaves out opaque items of other providers. Those of this provider are sent byte for byte. */
export const leaveOutOpaque: PartRepair<OpaquePart> = {
  name: "leave-out-opaque",
  apply(part, { draft }, { requirements, warnings }) {
    const reason = opaqueReason(part, requirements);
    if (reason === undefined) return part;
    warnings.leaveOut("opaque-left-out", reason, draft.chat.sources);
    return null;
  },
};

/** Returns why an opaque item is not sent; undefined when it is. */
export function opaqueReason(
  part: OpaquePart,
  {
    opaqueFrom,
    opaqueFields,
    opaqueTypes,
    opaqueKeys,
    opaqueNotBlank = NO_FIELDS,
    standIn,
    searches,
  }: FormatRequirements,
): LeftOutReason["opaque-left-out"] | undefined {
  if (!opaqueFrom.includes("*") && !opaqueFrom.includes(part.provider)) return "other-provider";
  if (standIn?.refused === true && Object(part.value).type === standIn.type) return "other-model";
  const value = Object(part.value) as Readonly<Record<string, unknown>>;
  const type = typeof value["type"] === "string" ? value["type"] : "";
  if (searches?.refused === true && searches.types.includes(type)) return "other-model";
  const known = opaqueTypes === undefined || Object.hasOwn(opaqueTypes, type);
  const further = known ? (opaqueTypes?.[type] ?? NO_FIELDS) : undefined;
  const isKnown =
    further !== undefined && (opaqueKeys === undefined || opaqueKeys.some((key) => Object.hasOwn(value, key)));
  const isWhole = isKnown && [...opaqueFields, ...further].every((field) => isNamed(value[field]));
  const isBlank = opaqueNotBlank.some((field) => typeof value[field] === "string" && value[field].trim() === "");
  return isWhole && !isBlank ? undefined : "malformed";
}

const NO_FIELDS: readonly string[] = [];
const isNamed = (value: unknown): boolean => typeof value === "string" && value !== "";

/** Leaves out blank texts (W11), except those that carry a signature of the model that is asked. */
export const leaveOutBlank: PartRepair<TextPart> = {
  name: "leave-out-blank",
  apply(part, place, conformance) {
    if (!isBlank(part.text) || isSigned(part, place, conformance)) return part;
    conformance.warnings.add("blank-text-left-out", place.draft.chat.sources);
    return null;
  },
};

/** A signature of another model, or on a message that was changed, is not sent, and then the text would be blank. */
function isSigned({ providerMetadata }: TextPart, { draft }: PartPlace, { requirements, input }: Conformance): boolean {
  const { signatures } = requirements;
  const { role, synthetic } = draft.chat;
  if (signatures === undefined || role !== "assistant" || synthetic !== undefined) return false;
  const author = draft.message?.model;
  if (author !== undefined && input.model !== undefined && !isSameModel(author, input.model)) return false;
  return signatures.fields.some((field) => isNamed(providerMetadata?.[signatures.provider]?.[field]));
}

/** Leaves out blank blocks of a result. A result without a body is still sent. */
export const leaveOutBlankInResult: PartRepair<ToolResultPart> = {
  name: "leave-out-blank-in-result",
  apply(part, { draft }, { warnings }) {
    const { content } = part.result;
    if (content.type !== "blocks" || !content.blocks.some((block) => block.type === "text" && isBlank(block.text)))
      return part;
    warnings.add("blank-text-left-out", draft.chat.sources);
    return withoutBlank(part, null);
  },
};

const withoutBlank = derivation((part: ToolResultPart, _key: null): ToolResultPart => {
  const { content } = part.result;
  if (content.type !== "blocks") return part;
  const blocks = content.blocks.filter((block) => block.type !== "text" || !isBlank(block.text));
  return { ...part, result: { ...part.result, content: { ...content, blocks } } };
});

/** Leaves out calls that nobody ran before another model took over: the provider wants neither them nor an answer. */
export const leaveOutAbandonedCalls: Repair = {
  name: "leave-out-abandoned-calls",
  apply(request, { requirements, warnings }) {
    const isHandedOver = ({ chat }: Draft): boolean => chat.parts.some((part) => isHandover(part, requirements));
    if (requirements.handovers === undefined || !request.drafts.some(isHandedOver)) return request;
    const drafts = mapDrafts(request.drafts, (draft, index) => {
      const { parts } = draft.chat;
      const end = parts.findLastIndex((part) => isHandover(part, requirements));
      const answered = end === -1 ? NOTHING : answeredAfter(request.drafts, index);
      const isAbandoned = (part: Part, at: number): boolean =>
        at < end && part.type === "tool-call" && !answered.has(part.callId);
      if (!parts.some(isAbandoned)) return draft;
      warnings.add("call-left-out", draft.chat.sources);
      return withParts(
        draft,
        parts.filter((part, at) => !isAbandoned(part, at)),
      );
    });
    return withDrafts(request, drafts);
  },
};

const NOTHING: ReadonlySet<string> = new Set();

/** Returns the ids that the results of a message answer. By now they follow it. */
function answeredAfter(drafts: readonly Draft[], index: number): ReadonlySet<string> {
  const answered = new Set<string>();
  for (let next = index + 1; drafts[next]?.chat.role === "tool"; next++)
    answered.add(answersOf(drafts[next] as Draft) ?? "");
  return answered;
}

/** Checks whether a part marks where another model went on with an answer. */
export const isHandover = (part: Part, { handovers = [], opaqueFrom }: FormatRequirements): boolean =>
  part.type === "opaque" && opaqueFrom.includes(part.provider) && handovers.includes(String(Object(part.value).type));

/** Leaves out opaque items that are already in the request, if the provider rejects duplicates. */
export const leaveOutRepeatedItems: Repair = {
  name: "leave-out-repeated-items",
  apply(request, { requirements: { opaqueOnce }, warnings }) {
    if (opaqueOnce === undefined) return request;
    const seen = new Set<string>();
    const drafts = mapDrafts(request.drafts, (draft) => {
      const parts = draft.chat.parts.filter((part) => {
        const id = onceKey(part, opaqueOnce);
        return id === undefined || (!seen.has(id) && seen.add(id));
      });
      if (parts.length === draft.chat.parts.length) return draft;
      warnings.leaveOut("opaque-left-out", "repeated", draft.chat.sources);
      return parts.length === 0 ? null : withParts(draft, parts);
    });
    return withDrafts(request, drafts);
  },
};

/** Returns the key that an opaque item shares with its repetitions; undefined for anything else. */
export function onceKey(part: Part, field: string): string | undefined {
  if (part.type !== "opaque") return undefined;
  const found = (Object(part.value) as Readonly<Record<string, unknown>>)[field];
  return typeof found === "string" ? found : undefined;
}
