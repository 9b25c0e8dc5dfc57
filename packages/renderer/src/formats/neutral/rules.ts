import {
  asList,
  asText,
  at,
  EMPTY_MEDIA,
  isEmptyMedia,
  isPlainObject,
  type LegalityRule,
  type PlainObject,
} from "../../legality/legality-rule.ts";
import type { WireReference, WireStep } from "../../legality/pairing.ts";
import { PAIRING_RULES, resultNames } from "../../legality/pairing-rules.ts";

const endsOnUser: LegalityRule<NeutralView> = {
  id: "W9",
  description: "The last message is not from the assistant.",
  reference: "Last message",
  find({ messages }) {
    const last = messages.length - 1;
    return messages[last]?.role === "assistant"
      ? [{ place: at(last), problem: "the request ends with an assistant turn" }]
      : [];
  },
};

const noBlankText: LegalityRule<NeutralView> = {
  id: "W11",
  description: "Every message has parts, no text is empty or only white space, and no image or document is empty.",
  reference: "Empty content",
  find: ({ messages }) =>
    messages.flatMap(({ parts }, message) =>
      parts.length === 0
        ? [{ place: at(message, undefined, "parts"), problem: "the message has no parts" }]
        : parts.flatMap((part, index) => {
            const problem = problemOf(part);
            return problem === undefined ? [] : [{ place: at(message, undefined, `parts[${index}]`), problem }];
          }),
    ),
};

function problemOf({ type, text, source, result }: PlainObject): string | undefined {
  if (type === "text") return typeof text === "string" && text.trim() === "" ? "the text is blank" : undefined;
  const sources = [source, ...asList(Object(Object(result).content).blocks).map((block) => Object(block).source)];
  return sources.some(isEmptyMedia) ? EMPTY_MEDIA : undefined;
}

/** Rules that apply to every provider. */
export const NEUTRAL_RULES: readonly LegalityRule<NeutralView>[] = [
  ...PAIRING_RULES,
  endsOnUser,
  noBlankText,
  resultNames,
];

/** A neutral payload as the rules see it. */
interface NeutralView {
  readonly messages: readonly { readonly role: unknown; readonly parts: readonly PlainObject[] }[];
  readonly steps: readonly WireStep[];
}

export function neutralView(payload: unknown): NeutralView {
  const messages = asList(isPlainObject(payload) ? payload.messages : undefined).map((message) => ({
    role: isPlainObject(message) ? message.role : undefined,
    parts: asList(isPlainObject(message) ? message.parts : undefined).map((part) => (isPlainObject(part) ? part : {})),
  }));
  return { messages, steps: stepsOf(messages) };
}

function stepsOf(messages: NeutralView["messages"]): readonly WireStep[] {
  const steps: (
    | { readonly kind: "calls" | "results"; readonly references: WireReference[] }
    | { readonly kind: "speech" }
  )[] = [];
  messages.forEach(({ role, parts }, index) => {
    const open = steps.at(-1);
    if (role === "assistant") steps.push({ kind: "calls", references: references(parts, index, "tool-call") });
    else if (role !== "tool") steps.push({ kind: "speech" });
    else if (open?.kind !== "results")
      steps.push({ kind: "results", references: references(parts, index, "tool-result") });
    else for (const one of references(parts, index, "tool-result")) open.references.push(one);
  });
  return steps;
}

function references(parts: readonly PlainObject[], message: number, type: string): WireReference[] {
  return parts.flatMap((part, index) => {
    if (part.type !== type) return [];
    const holder = type === "tool-result" && isPlainObject(part.result) ? part.result : part;
    const place = at(message, undefined, `parts[${index}]`);
    return [{ id: asText(holder.callId) ?? "", place, name: asText(holder.toolName) }];
  });
}
