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
import { hasContent, PAIRING_RULES, resultNames, toolSchemas, toolsNamedOnce } from "../../legality/pairing-rules.ts";
import { END_OF_HISTORY } from "../../neutral/summary-message.ts";
import { type AiSdkView, type PlacedPart, placeOf } from "./ai-sdk-view.ts";

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const NAME_PROBLEM = "the name is missing or too long, or has characters that are not allowed";

const toolNames: LegalityRule<AiSdkView> = {
  id: "tool-names",
  description: "Tool names have at most 64 letters, digits, _ and -, in calls and definitions.",
  reference: "Tool definitions",
  find: ({ payload, parts }) => [
    ...asList(payload.tools).flatMap((tool, index) =>
      isPlainObject(tool) && NAME.test(asText(tool.name) ?? "")
        ? []
        : [{ place: { path: `$.tools[${index}].name` }, problem: NAME_PROBLEM }],
    ),
    ...parts
      .filter(({ part }) => part.type === "tool-call" && !NAME.test(asText(part.toolName) ?? ""))
      .map((placed) => ({ place: placeOf(placed, "toolName"), problem: NAME_PROBLEM })),
  ],
};

/** Fields by which the SDK's providers recognize their own reasoning. */
const PROOFS = ["signature", "redactedData", "reasoningEncryptedContent", "thoughtSignature"] as const;

const isReasoning = ({ part }: PlacedPart): boolean => part.type === "reasoning";

const reasoningIntact: LegalityRule<AiSdkView> = {
  id: "W12",
  description: "Something follows the reasoning of an assistant turn.",
  reference: "Reasoning",
  find: ({ parts }) =>
    parts
      .filter((placed, index) => isReasoning(placed) && endsTurn(placed, parts[index + 1]))
      .map((placed) => ({ place: placeOf(placed), problem: "an assistant turn ends with reasoning" })),
};

const endsTurn = ({ role }: PlacedPart, next: PlacedPart | undefined): boolean =>
  role === "assistant" && next?.role !== "assistant";

const reasoningBoundToPrefix: LegalityRule<AiSdkView> = {
  id: "W13",
  description: "Signed reasoning does not follow an edit of the prefix that it is bound to.",
  reference: "Reasoning",
  find(view) {
    const signed = view.parts.filter((placed) => isReasoning(placed) && isSigned(placed.part));
    const isBehindEdit = signed.length === 0 ? null : behindEdit(view);
    if (isBehindEdit === null) return [];
    return signed.filter(isBehindEdit).map((placed) => ({
      place: placeOf(placed),
      problem: "signed reasoning follows a folded part of the conversation",
    }));
  },
};

function isSigned({ providerOptions }: PlainObject): boolean {
  const options = isPlainObject(providerOptions) ? Object.values(providerOptions) : [];
  return options.some(
    (fields) => isPlainObject(fields) && PROOFS.some((field) => (asText(fields[field]) ?? "") !== ""),
  );
}

/**
 * Tells which parts follow an edit, according to the manifest. In a foreign prompt, only the part directly after the
 * first known fold frame, in its turn: anything later may have been written after the fold.
 */
function behindEdit({ parts, edited }: AiSdkView): ((placed: PlacedPart) => boolean) | null {
  if (edited === null) return null;
  if (edited !== undefined) return ({ message }) => message >= edited.from && message < edited.to;
  const frame = parts.findIndex(({ part }) => part.type === "text" && isFold(asText(part.text) ?? ""));
  const next = parts[frame]?.role === "assistant" ? parts[frame + 1] : undefined;
  return (placed) => placed === next;
}

const isFold = (text: string): boolean =>
  text.startsWith("[") && /^\[(?:Context Summary|Externalized Content) - /.test(text) && text.endsWith(END_OF_HISTORY);

const objectInput: LegalityRule<AiSdkView> = {
  id: "W19",
  description: "The input of a call is a JSON object.",
  reference: "Arguments",
  find: ({ parts }) =>
    parts
      .filter(({ part }) => part.type === "tool-call" && !isPlainObject(part.input))
      .map((placed) => ({ place: placeOf(placed, "input"), problem: "the input is not an object" })),
};

const calls = ({ parts }: AiSdkView): readonly PlacedPart[] => parts.filter(({ part }) => part.type === "tool-call");

const callIdForm: LegalityRule<AiSdkView> = {
  id: "call-id-form",
  description: "A call id is made of letters, digits, _ and -, which every provider behind the SDK accepts.",
  reference: "Duplicate ids",
  find: (view) =>
    calls(view)
      .filter(({ part }) => !/^[a-zA-Z0-9_-]+$/.test(asText(part.toolCallId) ?? ""))
      .map((placed) => ({
        place: placeOf(placed, "toolCallId"),
        problem: "the call id is missing or has characters that are not allowed",
      })),
};

const callIdOnce: LegalityRule<AiSdkView> = {
  id: "call-id-once",
  description: "A call id is used for only one call of the prompt.",
  reference: "Duplicate ids",
  find(view) {
    const seen = new Set<unknown>();
    return calls(view)
      .filter(({ part }) => seen.has(part.toolCallId) || !seen.add(part.toolCallId))
      .map((placed) => ({ place: placeOf(placed, "toolCallId"), problem: "an earlier call has the same id" }));
  },
};

const PROBLEM = "the text is blank";
const isBlank = (text: unknown): boolean => typeof text === "string" && text.trim() === "";

/** The SDK drops empty texts itself, but not whitespace-only ones. A tool may have nothing to say. */
const noBlankText: LegalityRule<AiSdkView> = {
  id: "W11",
  description:
    "No text outside tool results is empty or only white space, and no instruction is. No image or document is empty.",
  reference: "Empty content",
  find: ({ payload, parts }) => [
    ...asList(payload.instructions).flatMap((message, index) =>
      isPlainObject(message) && isBlank(message.content)
        ? [{ place: { path: `$.instructions[${index}]` }, problem: PROBLEM }]
        : [],
    ),
    ...parts
      .filter(({ part }) => part.type === "text" && isBlank(part.text))
      .map((placed) => ({ place: placeOf(placed), problem: PROBLEM })),
    ...parts
      .filter(({ part }) => (MEDIA.includes(part.type) ? isEmptyMedia(part) : hasEmptyMedia(part.output)))
      .map((placed) => ({ place: placeOf(placed), problem: EMPTY_MEDIA })),
  ],
};

const MEDIA: readonly unknown[] = ["file", "image"];

/** Bytes, URLs and file ids in a result are kinds of parts of their own. */
const hasEmptyMedia = (output: unknown): boolean =>
  asList(Object(output).value).some(
    (part) =>
      isPlainObject(part) &&
      /^(?:media|(?:file|image)-(?:data|url))$/.test(asText(part.type) ?? "") &&
      isEmptyMedia(part),
  );

/** The kinds of part that each role may contain. Assistant files are legal to the SDK but not to every provider. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  system: ["text"],
  user: ["text", "file", "image"],
  assistant: [
    "text",
    "reasoning",
    "reasoning-file",
    "tool-call",
    "tool-result",
    "tool-approval-request",
    "custom",
    "file",
  ],
  tool: ["tool-result", "tool-approval-response"],
};

const partPlaces: LegalityRule<AiSdkView> = {
  id: "part-places",
  description: "Each part is in a message whose role allows its kind.",
  reference: "Images/docs",
  find: ({ parts }) =>
    parts
      .filter(({ part, role }) => KINDS[role] !== undefined && !KINDS[role].includes(asText(part.type) ?? ""))
      .map((placed) => ({ place: placeOf(placed), problem: `the role ${placed.role} does not allow such a part` })),
};

const endsOnUser: LegalityRule<AiSdkView> = {
  id: "W9",
  description: "The last message is from the user or a tool.",
  reference: "Last message",
  find({ messages }) {
    const last = messages.length - 1;
    return messages[last]?.role === "assistant"
      ? [{ place: at(last), problem: "the prompt ends with an assistant turn" }]
      : [];
  },
};

const startsOnUser: LegalityRule<AiSdkView> = {
  id: "W10",
  description: "The first message is from the user.",
  reference: "First message",
  find({ messages }) {
    return messages[0]?.role === "assistant"
      ? [{ place: at(0), problem: "the prompt starts with an assistant turn" }]
      : [];
  },
};

const ROLES: readonly unknown[] = ["user", "assistant", "tool"];

const knownRoles: LegalityRule<AiSdkView> = {
  id: "roles",
  description: "Messages have the role user, assistant or tool; system text is in the instructions.",
  reference: "Roles",
  find: ({ messages }) =>
    messages.flatMap(({ role }, index) =>
      ROLES.includes(role)
        ? []
        : [{ place: at(index, undefined, "role"), problem: "the role is neither user nor assistant nor tool" }],
    ),
};

/** The legality table of AI SDK prompts. Adding a rule takes a constant and a line here. */
export const AI_SDK_RULES: readonly LegalityRule<AiSdkView>[] = [
  ...PAIRING_RULES,
  endsOnUser,
  startsOnUser,
  noBlankText,
  reasoningIntact,
  reasoningBoundToPrefix,
  objectInput,
  knownRoles,
  hasContent,
  callIdForm,
  callIdOnce,
  toolNames,
  resultNames,
  toolsNamedOnce(),
  toolSchemas({ path: ["inputSchema"] }),
  partPlaces,
];
