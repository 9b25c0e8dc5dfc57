import type { JsonObject, JsonValue, OpaquePart, TextPart, ToolCallPart, ToolResultPart } from "@threadfold/core";
import { acceptedToolName, type FormatRequirements } from "../../capabilities/format-requirements.ts";
import { derivation } from "../../input/derivation.ts";
import type { RenderInput } from "../../input/render-input.ts";
import { isFreeTextCall } from "../../neutral/draft.ts";
import { isProviderContent } from "../../neutral/provider-content.ts";
import { singleLine } from "../../neutral/result-lines.ts";
import type { Conformance, PartRepair } from "../conformance.ts";

const REFERENCE = "tool_reference";

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Makes the arguments of every call an object: anything that is not one, or was never valid JSON, is wrapped in one
 * under `_raw` (W19).
 */
export const wrapToolInput: PartRepair<ToolCallPart> = {
  name: "wrap-tool-input",
  apply(part, { draft }, { requirements, warnings }) {
    if (requirements.freeTextCalls === true && isFreeTextCall(part)) return part;
    if (requirements.toolInput === "any" || (part.invalidInput === undefined && isObject(part.input))) return part;
    if (!saysNothing(part)) warnings.add("tool-input-wrapped", draft.chat.sources);
    return wrapped(part, null);
  },
};

const wrapped = derivation((part: ToolCallPart, _key: null): ToolCallPart => {
  const { invalidInput, ...call } = part;
  return { ...call, input: saysNothing(part) ? {} : { _raw: invalidInput ?? part.input } };
});

/** Calls without arguments are logged with null or with an empty text. */
const saysNothing = ({ input, invalidInput }: ToolCallPart): boolean =>
  input === null || (invalidInput ?? input) === "";

/** Changes the tool's name in a call to one that the provider accepts, the same as in its definition. */
export const renameTool: PartRepair<ToolCallPart> = {
  name: "rename-tool",
  apply(part, { draft }, { requirements, warnings }) {
    const name = acceptedToolName(part.toolName, requirements.toolNames);
    if (name === part.toolName) return part;
    warnings.named("tool-renamed", [`${part.toolName} → ${name}`], draft.chat.sources);
    return callNamed(part, name);
  },
};

const callNamed = derivation((part: ToolCallPart, toolName: string): ToolCallPart => ({ ...part, toolName }));

/**
 * Keeps references to tools only if the request defines the tool, under the name that it is sent with: a tool search
 * may have revealed one that the host no longer offers. A line of text then says so instead.
 */
export const repairReferencesInResult: PartRepair<ToolResultPart> = {
  name: "repair-references-in-result",
  apply(part, { draft }, conformance) {
    const { content, outcome } = part.result;
    // The content of a failed result is sent as text.
    if (!keepsReferences(conformance) || outcome === "failure") return part;
    if (content.type !== "json" || !isProviderContent(content.value)) return part;
    const names = definedNames(conformance);
    const lost = lostIn(content.value, names);
    if (lost.length > 0) conformance.warnings.named("tool-reference-left-out", lost, draft.chat.sources);
    return isAsDefined(content.value, names) ? part : resultWith(part, names);
  },
};

/** Does the same for the findings of the provider's own tool search. */
export const repairReferencesFound: PartRepair<OpaquePart> = {
  name: "repair-references-found",
  apply(part, { draft }, conformance) {
    const found = keepsReferences(conformance) ? foundIn(part) : undefined;
    if (found === undefined) return part;
    const names = definedNames(conformance);
    const lost = lostIn(found, names);
    if (lost.length > 0) conformance.warnings.named("tool-reference-left-out", lost, draft.chat.sources);
    return isAsDefined(found, names) ? part : foundWith(part, names);
  },
};

const keepsReferences = ({ requirements }: Conformance): boolean => requirements.toolReferences === true;

/** Names of the defined tools, each mapped to the name that it is sent under. */
type DefinedNames = ReadonlyMap<string, string>;

const definedNames = ({ input, requirements }: Conformance): DefinedNames => namesOf(input.tools, requirements);

const namesOf = derivation(
  (tools: RenderInput["tools"], { toolNames }: FormatRequirements): DefinedNames =>
    new Map(tools.map(({ name }) => [name, acceptedToolName(name, toolNames)])),
);

/** Returns the tool that a block refers to; undefined for any other block. */
const referredTo = (block: JsonValue): string | undefined =>
  isObject(block) && block["type"] === REFERENCE ? String(block["tool_name"]) : undefined;

const lostIn = (blocks: readonly JsonValue[], names: DefinedNames): readonly string[] =>
  blocks.flatMap((block) => {
    const name = referredTo(block);
    return name === undefined || names.has(name) ? [] : [name];
  });

const isAsDefined = (blocks: readonly JsonValue[], names: DefinedNames): boolean =>
  blocks.every((block) => {
    const name = referredTo(block);
    return name === undefined || names.get(name) === name;
  });

const resultWith = derivation((part: ToolResultPart, names: DefinedNames): ToolResultPart => {
  const { content } = part.result;
  if (content.type !== "json") return part;
  const blocks = (content.value as readonly JsonValue[]).map((block) => renamed(block, names) ?? notOffered(block));
  const texts = blocks.filter(isText);
  const isAllText = texts.length === blocks.length;
  const shown = isAllText ? ({ type: "blocks", blocks: texts } as const) : ({ type: "json", value: blocks } as const);
  return { ...part, result: { ...part.result, content: shown } };
});

const isText = (block: JsonValue): block is JsonObject & TextPart => isObject(block) && block["type"] === "text";

/** The longest name that a line shows, in UTF-16 code units. */
const MAX_NAME = 80;

const notOffered = (block: JsonValue): JsonObject => ({
  type: "text",
  text: `[tool no longer offered: ${singleLine(referredTo(block) ?? "", MAX_NAME)}]`,
});

/** Returns the block with the name that its tool is sent under; undefined when the tool is not defined. */
function renamed(block: JsonValue, names: DefinedNames): JsonValue | undefined {
  const name = referredTo(block);
  if (name === undefined) return block;
  const known = names.get(name);
  return known === undefined ? undefined : { ...(block as JsonObject), tool_name: known };
}

function foundIn({ value }: OpaquePart): readonly JsonValue[] | undefined {
  const content = isObject(value) && value["type"] === "tool_search_tool_result" ? value["content"] : undefined;
  const found = isObject(content) ? content["tool_references"] : undefined;
  return Array.isArray(found) ? found : undefined;
}

const foundWith = derivation((part: OpaquePart, names: DefinedNames): OpaquePart => {
  const value = part.value as JsonObject;
  const found = (foundIn(part) ?? []).flatMap((block) => renamed(block, names) ?? []);
  return { ...part, value: { ...value, content: { ...(value["content"] as JsonObject), tool_references: found } } };
});
