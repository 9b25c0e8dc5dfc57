import { capabilitiesOf } from "../../input/model-capabilities.ts";
import {
  asList,
  asText,
  at,
  EMPTY_MEDIA,
  type Finding,
  isEmptyMedia,
  isPlainObject,
  type LegalityRule,
  type PlainObject,
} from "../../legality/legality-rule.ts";
import { toolSchemas, toolsNamedOnce } from "../../legality/pairing-rules.ts";
import { findNoJsonAsked } from "../json-mode.ts";
import { REFUSED_AT_TOP } from "../provider-fields.ts";
import {
  callers,
  hasInput,
  itemIdForm,
  itemIdOnce,
  knownRoles,
  pairing,
  reasoningPairs,
  stateless,
  wholeCompaction,
} from "./item-rules.ts";
import { answers, callIdOf, isCall, isOutput, type PlacedItem, type ResponsesView } from "./responses-view.ts";

const NAMED: readonly unknown[] = ["function", "custom", "namespace", "function_call", "custom_tool_call"];
const NAME_PROBLEM = "the name is missing or too long, or has characters that are not allowed";

const toolNames: LegalityRule<ResponsesView> = {
  id: "tool-names",
  description:
    "Names of functions and custom tools have at most 64 letters, digits, _ and -, in calls and definitions.",
  reference: "Tool definitions",
  find: ({ payload, items }) => [
    ...asList(payload.tools).flatMap((tool, index) => misnamed(tool, `$.tools[${index}]`)),
    ...items
      .filter(({ item }) => !hasName(item))
      .map(({ index }) => ({ place: at(index, undefined, "name"), problem: NAME_PROBLEM })),
  ],
};

function misnamed(tool: unknown, path: string): readonly Finding[] {
  if (!isPlainObject(tool) || !hasName(tool)) return [{ place: { path: `${path}.name` }, problem: NAME_PROBLEM }];
  return tool.type === "namespace"
    ? asList(tool.tools).flatMap((one, index) => misnamed(one, `${path}.tools[${index}]`))
    : [];
}

/** Checks for tools that the host names; the provider's own have no name. */
const isNamedTool = ({ type }: PlainObject): boolean => NAMED.includes(type);

const hasName = (tool: PlainObject): boolean =>
  !isNamedTool(tool) || /^[a-zA-Z0-9_-]{1,64}$/.test(asText(tool.name) ?? "");

const jsonArguments: LegalityRule<ResponsesView> = {
  id: "W19",
  description: "The arguments of a function call are a string that holds a JSON object; a custom call's input is text.",
  reference: "Arguments",
  find: ({ items }) =>
    items.flatMap((one) => {
      const problem = problemOf(one);
      return problem === undefined ? [] : [{ place: at(one.index, undefined, problem.field), problem: problem.text }];
    }),
};

function problemOf({ kind, item }: PlacedItem): { readonly field: string; readonly text: string } | undefined {
  if (kind === "custom_tool_call" && typeof item.input !== "string")
    return { field: "input", text: "the input is not text" };
  if (kind !== "function_call" || holdsObject(asText(item.arguments))) return undefined;
  return { field: "arguments", text: "the arguments are not a JSON object" };
}

function holdsObject(text: string | undefined): boolean {
  try {
    return text !== undefined && isPlainObject(JSON.parse(text));
  } catch {
    return false;
  }
}

const MAX_LENGTH = 64;
const idPlace = ({ index }: PlacedItem) => at(index, undefined, "call_id");

const callIdForm: LegalityRule<ResponsesView> = {
  id: "call-id-form",
  description: `A call id has 1 to ${MAX_LENGTH} characters.`,
  reference: "Duplicate ids",
  find: ({ items }) =>
    items
      .filter((one) => (isCall(one) || isOutput(one)) && !hasForm(callIdOf(one) ?? ""))
      .map((one) => ({ place: idPlace(one), problem: "the call id is missing or too long" })),
};

const hasForm = (id: string): boolean => id !== "" && id.length <= MAX_LENGTH;

const callIdOnce: LegalityRule<ResponsesView> = {
  id: "call-id-once",
  description: "A call id is used for only one call of the request.",
  reference: "Duplicate ids",
  find({ items }) {
    const seen = new Set<unknown>();
    return items
      .filter(isCall)
      .filter(({ item }) => seen.has(item.call_id) || !seen.add(item.call_id))
      .map((one) => ({ place: idPlace(one), problem: "an earlier call has the same id" }));
  },
};

const outputKind: LegalityRule<ResponsesView> = {
  id: "output-kind",
  description: "An output is of the same kind as its call.",
  reference: "Call → result",
  find({ items }) {
    const kinds = new Map<unknown, string>();
    return items.flatMap((one) => {
      if (isCall(one)) kinds.set(callIdOf(one), one.kind);
      const called = kinds.get(callIdOf(one));
      if (!isOutput(one) || called === undefined || answers(one, called)) return [];
      return [{ place: at(one.index, undefined, "type"), problem: `the call is a ${called}` }];
    });
  },
};

const MEDIA: readonly unknown[] = ["input_image", "input_file", "input_audio"];

const mediaPlaces: LegalityRule<ResponsesView> = {
  id: "media-places",
  description: "Images and documents appear only in input, not in messages of the assistant.",
  reference: "Images/docs",
  find: ({ items }) =>
    items.flatMap(({ item: { role, content }, kind, index }) =>
      kind !== "message" || role !== "assistant"
        ? []
        : asList(content).flatMap((part, place) =>
            isPlainObject(part) && MEDIA.includes(part.type)
              ? [{ place: at(index, place), problem: "an assistant message holds media" }]
              : [],
          ),
    ),
};

const PROBLEM = "the text is blank";
const isBlank = (text: unknown): boolean => typeof text === "string" && text.trim() === "";

/** A tool may have nothing to say: blank outputs are legal. */
const noBlankText: LegalityRule<ResponsesView> = {
  id: "W11",
  description:
    "A message has content, and no text in it is empty or only white space. No image or document is empty, in outputs either.",
  reference: "Empty content",
  find: ({ items }) => items.flatMap(blankIn),
};

function blankIn({ kind, item: { content, output }, index }: PlacedItem): readonly Finding[] {
  if (kind !== "message")
    return asList(output).flatMap((part, place) =>
      isEmptyInput(part) ? [{ place: at(index, undefined, `output[${place}]`), problem: EMPTY_MEDIA }] : [],
    );
  if (isBlank(content)) return [{ place: at(index), problem: PROBLEM }];
  if (!Array.isArray(content)) return [];
  if (content.length === 0) return [{ place: at(index, undefined, "content"), problem: "the message has no content" }];
  return content.flatMap((part, place) => {
    const isEmpty = isEmptyInput(part);
    const isNothing = isEmpty || (isPlainObject(part) && isBlank(part.text));
    return isNothing ? [{ place: at(index, place), problem: isEmpty ? EMPTY_MEDIA : PROBLEM }] : [];
  });
}

const isEmptyInput = (part: unknown): boolean =>
  isPlainObject(part) && MEDIA.includes(part.type) && isEmptyMedia(part.input_audio ?? part);

const toolSearch: LegalityRule<ResponsesView> = {
  id: "tool-search",
  description:
    "Tools are deferred until a search, and searches appear in the request, only if the model supports tool search.",
  reference: "Tool definitions",
  find({ payload, items, model }) {
    if (model === undefined || capabilitiesOf(model)?.toolSearch !== false) return [];
    const problem = "the model does not support tool search";
    return [
      ...asList(payload.tools).flatMap((tool, index): readonly Finding[] =>
        waitsForSearch(tool) ? [{ place: { path: `$.tools[${index}]` }, problem }] : [],
      ),
      ...items
        .filter(({ kind }) => kind === "tool_search_call" || kind === "tool_search_output")
        .map(({ index }) => ({ place: at(index), problem })),
    ];
  },
};

const waitsForSearch = (tool: unknown): boolean =>
  isPlainObject(tool) &&
  (tool.type === "tool_search" || tool.defer_loading === true || asList(tool.tools).some(waitsForSearch));

const jsonMode: LegalityRule<ResponsesView> = {
  id: "json-mode",
  description:
    "If JSON is requested without a schema (`text.format` of type `json_object`), a message contains the word JSON.",
  reference: "Response format",
  find: ({ responseFormat, items, continues }) =>
    continues
      ? []
      : findNoJsonAsked(
          responseFormat,
          items.map(({ item }) => item),
          "$.text.format",
        ),
};

/**
 * The legality table of OpenAI Responses. Anyone may speak first, last and in between (W3, W4, W9, W10); reasoning is
 * not bound to its prefix (W13), and its absence from an open loop is not an error (W12). Adding a rule takes a
 * constant and a line.
 */
export const OPENAI_RESPONSES_RULES: readonly LegalityRule<ResponsesView>[] = [
  ...pairing,
  noBlankText,
  reasoningPairs,
  jsonArguments,
  hasInput,
  knownRoles,
  callIdForm,
  callIdOnce,
  outputKind,
  callers,
  itemIdForm,
  itemIdOnce,
  stateless,
  wholeCompaction,
  mediaPlaces,
  toolNames,
  toolsNamedOnce(isNamedTool),
  toolSchemas({
    path: ["parameters"],
    refused: REFUSED_AT_TOP,
    listsProperties: true,
  }),
  toolSearch,
  jsonMode,
];
