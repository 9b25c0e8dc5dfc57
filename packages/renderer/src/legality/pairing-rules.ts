import { asList, at, type Finding, isPlainObject, type LegalityRule, type PlainObject } from "./legality-rule.ts";
import { findPairingProblems, type PairingFinding, type PairingScenario, type WireStep } from "./pairing.ts";

/** The rule of formats in which every message must have content, whoever speaks. */
export const hasContent: LegalityRule<{ readonly messages: readonly PlainObject[] }> = {
  id: "messages",
  description: "There is at least one message, and every message has content.",
  reference: "Empty content",
  find({ messages }) {
    if (messages.length === 0) return [{ place: { path: "$.messages" }, problem: "there are no messages" }];
    return messages.flatMap(({ content }, index) =>
      typeof content === "string" || (Array.isArray(content) && content.length > 0)
        ? []
        : [{ place: at(index, undefined, "content"), problem: "the message has no content" }],
    );
  },
};

/** A view of a payload that can be read as pairing steps. */
export interface PairedView {
  readonly steps: readonly WireStep[];
}

const known = new WeakMap<PairedView, readonly PairingFinding[]>();

function problemsOf(view: PairedView): readonly PairingFinding[] {
  const found = known.get(view) ?? findPairingProblems(view.steps);
  known.set(view, found);
  return found;
}

function pairingRule(
  id: PairingScenario,
  reference: string,
  description: string,
  problem: string,
): LegalityRule<PairedView> {
  return {
    id,
    description,
    reference,
    find: (view) =>
      problemsOf(view)
        .filter(({ scenario }) => scenario === id)
        .map(({ reference: { id: callId, place } }) => ({
          place,
          problem: `${problem} (${callId.slice(0, 80).toWellFormed()})`,
        })),
  };
}

const CALL_TO_RESULT = "Call → result";

/** The pairing rules that the formats share, one line per rule. */
export const PAIRING_RULES: readonly LegalityRule<PairedView>[] = [
  pairingRule("W1", CALL_TO_RESULT, "Every call is directly followed by its result.", "the call has no result"),
  pairingRule("W2", "Orphans", "Every result answers a call.", "no call matches this result"),
  pairingRule(
    "W3",
    CALL_TO_RESULT,
    "Nothing is said between a call and its result.",
    "something is said between the call and this result",
  ),
  pairingRule(
    "W4",
    CALL_TO_RESULT,
    "No assistant turn comes between a call and its result.",
    "an assistant turn comes between the call and this result",
  ),
  pairingRule("W5", "Duplicate ids", "A call is answered only once.", "the call has already been answered"),
  pairingRule(
    "W6",
    CALL_TO_RESULT,
    "A result follows its own call, not another one.",
    "the result follows another call, and that call's result follows the call of this one",
  ),
  pairingRule(
    "W7",
    CALL_TO_RESULT,
    "All calls of a batch are answered together.",
    "the call has no result although others of its batch do",
  ),
  pairingRule("W8", CALL_TO_RESULT, "A result comes after its call.", "the result comes before its call"),
];

/** The rule of formats in which results have the name of their tool as well. */
export const resultNames: LegalityRule<PairedView> = {
  id: "result-names",
  description: "A result has the tool name of its call.",
  reference: CALL_TO_RESULT,
  find: ({ steps }) =>
    steps.flatMap((step, index) => {
      const before = steps[index - 1];
      if (step.kind !== "results" || before?.kind !== "calls") return [];
      const called = new Map(before.references.map(({ id, name }) => [id, name]));
      return step.references
        .filter(({ id, name }) => name !== undefined && name !== (called.get(id) ?? name))
        .map(({ place }) => ({ place, problem: "the result has another tool name than its call" }));
    }),
};

/**
 * Returns the rule of formats that list tools by `name`. `isNamed` leaves out the provider's own tools in the list.
 * none.
 */
export function toolsNamedOnce(
  isNamed: (tool: PlainObject) => boolean = () => true,
): LegalityRule<{ readonly payload: PlainObject }> {
  return {
    id: "tool-names-once",
    description: "A tool is defined only once.",
    reference: "Tool definitions",
    find: ({ payload }) => namedTwice(payload["tools"], "$.tools", isNamed),
  };
}

/** Reports names used twice in a list of tools. Each namespace has its own names. */
function namedTwice(tools: unknown, path: string, isNamed: (tool: PlainObject) => boolean): readonly Finding[] {
  const seen = new Set<unknown>();
  return asList(tools).flatMap((tool, index): readonly Finding[] => {
    if (!isPlainObject(tool) || !isNamed(tool) || typeof tool["name"] !== "string") return [];
    const { name, type } = tool;
    const inside = type === "namespace" ? namedTwice(tool["tools"], `${path}[${index}].tools`, isNamed) : [];
    const isNew = !seen.has(name) && seen.add(name);
    return isNew
      ? inside
      : [{ place: { path: `${path}[${index}].name` }, problem: "the name is already taken" }, ...inside];
  });
}

/** What a format says about the schema of a tool's arguments. */
interface SchemaRequirement {
  /** The fields that lead to it in a definition. */
  readonly path: readonly string[];
  /** Keywords that are rejected at its top. */
  readonly refused?: readonly string[];
  /** Set if it must list its properties, even when there are none. */
  readonly listsProperties?: true;
}

/** Returns the rule of formats in which a JSON Schema says what a tool takes. A tool may have none. */
export function toolSchemas(requirement: SchemaRequirement): LegalityRule<{ readonly payload: PlainObject }> {
  const { refused = [], listsProperties } = requirement;
  const without = refused.length === 0 ? "" : `, without ${refused.join(", ")} at its top`;
  return {
    id: "tool-schemas",
    description: `The schema of a tool's arguments is of type object${listsProperties === true ? " and lists its properties" : ""}${without}.`,
    reference: "Tool definitions",
    find: ({ payload }) => otherSchemas(payload["tools"], "$.tools", requirement),
  };
}

function otherSchemas(tools: unknown, list: string, requirement: SchemaRequirement): readonly Finding[] {
  const { path } = requirement;
  return asList(tools).flatMap((tool, index): readonly Finding[] => {
    const place = `${list}[${index}]`;
    if (isPlainObject(tool) && tool["type"] === "namespace")
      return otherSchemas(tool["tools"], `${place}.tools`, requirement);
    const schema =
      path.reduce<unknown>((value, field) => (isPlainObject(value) ? value[field] : undefined), tool) ?? null;
    const wrong = schema === null ? undefined : problemOf(schema, requirement);
    return wrong === undefined
      ? []
      : [{ place: { path: [place, ...path, wrong.field].join(".") }, problem: wrong.problem }];
  });
}

function problemOf(
  schema: unknown,
  { refused = [], listsProperties }: SchemaRequirement,
): { readonly field: string; readonly problem: string } | undefined {
  if (!isPlainObject(schema) || schema["type"] !== "object")
    return { field: "type", problem: "the schema is not of type object" };
  const field = refused.find((keyword) => schema[keyword] !== undefined);
  if (field !== undefined) return { field, problem: `the schema has ${field} at its top` };
  return listsProperties === true && !isPlainObject(schema["properties"])
    ? { field: "properties", problem: "the schema does not list its properties" }
    : undefined;
}
