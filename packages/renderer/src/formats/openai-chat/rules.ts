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
import { PAIRING_RULES, toolSchemas } from "../../legality/pairing-rules.ts";
import { findNoJsonAsked } from "../json-mode.ts";
import { REFUSED_AT_TOP } from "../provider-fields.ts";
import type { OpenAIChatView, PlacedCall } from "./openai-chat-view.ts";

const NAME_PROBLEM = "the name is missing or too long, or has characters that are not allowed";

const toolNames: LegalityRule<OpenAIChatView> = {
  id: "tool-names",
  description: "Function names have at most 64 letters, digits, _ and -, in calls and definitions.",
  reference: "Tool definitions",
  find: ({ payload, calls }) => [
    ...asList(payload.tools).flatMap((tool, index) =>
      isPlainObject(tool) && isNamed(tool)
        ? []
        : [{ place: { path: `$.tools[${index}].function.name` }, problem: NAME_PROBLEM }],
    ),
    ...calls
      .filter(({ call }) => !isNamed(call))
      .map(({ message, index }) => ({
        place: at(message, undefined, `tool_calls[${index}].function.name`),
        problem: NAME_PROBLEM,
      })),
  ],
};

const isNamed = ({ type, function: named }: Readonly<Record<string, unknown>>): boolean =>
  type === "custom" || (isPlainObject(named) && /^[a-zA-Z0-9_-]{1,64}$/.test(asText(named.name) ?? ""));

const jsonArguments: LegalityRule<OpenAIChatView> = {
  id: "W19",
  description: "The arguments of a call are a string that holds a JSON object.",
  reference: "Arguments",
  find: ({ calls }) =>
    calls
      .filter(({ call }) => call.type !== "custom" && !holdsObject(call))
      .map(({ message, index }) => ({
        place: at(message, undefined, `tool_calls[${index}].function.arguments`),
        problem: "the arguments are not a JSON object",
      })),
};

function holdsObject(call: PlacedCall["call"]): boolean {
  const text = isPlainObject(call.function) ? asText(call.function.arguments) : undefined;
  if (text === undefined) return false;
  try {
    return isPlainObject(JSON.parse(text));
  } catch {
    return false;
  }
}

const MAX_LENGTH = 40;
const idPlace = ({ message, index }: PlacedCall) => at(message, undefined, `tool_calls[${index}].id`);

const callIdForm: LegalityRule<OpenAIChatView> = {
  id: "call-id-form",
  description: `A call id has 1 to ${MAX_LENGTH} characters.`,
  reference: "Duplicate ids",
  find: ({ calls }) =>
    calls
      .filter(({ call }) => (asText(call.id) ?? "") === "" || (call.id as string).length > MAX_LENGTH)
      .map((placed) => ({ place: idPlace(placed), problem: "the call id is missing or too long" })),
};

const callIdOnce: LegalityRule<OpenAIChatView> = {
  id: "call-id-once",
  description: "A call id is used for only one call of its batch.",
  reference: "Duplicate ids",
  find({ calls }) {
    const seen = new Set<string>();
    return calls
      .filter(({ call, message }) => {
        const key = `${message} ${asText(call.id)}`;
        return seen.has(key) || !seen.add(key);
      })
      .map((placed) => ({ place: idPlace(placed), problem: "another call of the batch has the same id" }));
  },
};

const MEDIA: readonly unknown[] = ["image_url", "file", "input_audio"];

const mediaPlaces: LegalityRule<OpenAIChatView> = {
  id: "media-places",
  description: "Images and documents appear only in user messages.",
  reference: "Images/docs",
  find: ({ messages }) =>
    messages.flatMap(({ role, content }, index) =>
      role === "user"
        ? []
        : asList(content).flatMap((part, place) =>
            isPlainObject(part) && MEDIA.includes(part.type)
              ? [{ place: at(index, place), problem: `a message of role ${role} holds media` }]
              : [],
          ),
    ),
};

const PROBLEM = "the text is blank";
const isBlank = (text: unknown): boolean => typeof text === "string" && text.trim() === "";

/** A tool may have nothing to say, and so may a message that calls tools: frameworks send empty text as its content. */
const noBlankText: LegalityRule<OpenAIChatView> = {
  id: "W11",
  description: "No text outside tool results is empty or only white space, and no image or document is empty.",
  reference: "Empty content",
  find: ({ messages }) =>
    messages.flatMap(({ role, content, tool_calls: calls }, index): readonly Finding[] => {
      if (role === "tool" || (content === "" && asList(calls).length > 0)) return [];
      if (isBlank(content)) return [{ place: at(index), problem: PROBLEM }];
      return asList(content).flatMap((part, place) => {
        const problem = isPlainObject(part) ? emptiness(part) : undefined;
        return problem === undefined ? [] : [{ place: at(index, place), problem }];
      });
    }),
};

function emptiness(part: PlainObject): string | undefined {
  if (part.type === "text") return isBlank(part.text) ? PROBLEM : undefined;
  return typeof part.type === "string" && MEDIA.includes(part.type) && isEmptyMedia(part[part.type])
    ? EMPTY_MEDIA
    : undefined;
}

const ROLES: readonly unknown[] = ["system", "developer", "user", "assistant", "tool"];

const knownRoles: LegalityRule<OpenAIChatView> = {
  id: "roles",
  description: "Messages have the role system, developer, user, assistant or tool.",
  reference: "Roles",
  find: ({ messages }) =>
    messages.flatMap(({ role }, index) =>
      ROLES.includes(role) ? [] : [{ place: at(index, undefined, "role"), problem: "the role is not known" }],
    ),
};

const hasMessages: LegalityRule<OpenAIChatView> = {
  id: "messages",
  description: "There is at least one message, and only an assistant message with calls may be without content.",
  reference: "Empty content",
  find({ messages }) {
    if (messages.length === 0) return [{ place: { path: "$.messages" }, problem: "there are no messages" }];
    return messages.flatMap(({ role, content, tool_calls: calls }, index) => {
      const has = typeof content === "string" || (Array.isArray(content) && content.length > 0);
      const mayLack = role === "assistant" && asList(calls).length > 0;
      return has || mayLack ? [] : [{ place: at(index, undefined, "content"), problem: "the message has no content" }];
    });
  },
};

const jsonMode: LegalityRule<OpenAIChatView> = {
  id: "json-mode",
  description:
    "If JSON is requested without a schema (`response_format` of type `json_object`), a message contains the word JSON.",
  reference: "Response format",
  find: ({ responseFormat, messages }) => findNoJsonAsked(responseFormat, messages, "$.response_format"),
};

/**
 * The legality table of OpenAI Chat. Anyone may speak first and last here (W9, W10). A new rule is a constant and a
 * line.
 */
export const OPENAI_CHAT_RULES: readonly LegalityRule<OpenAIChatView>[] = [
  ...PAIRING_RULES,
  noBlankText,
  jsonArguments,
  knownRoles,
  hasMessages,
  callIdForm,
  callIdOnce,
  toolNames,
  toolSchemas({
    path: ["function", "parameters"],
    refused: REFUSED_AT_TOP,
    listsProperties: true,
  }),
  mediaPlaces,
  jsonMode,
];
