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
} from "../../legality/legality-rule.ts";
import { PAIRING_RULES, resultNames, toolsNamedOnce } from "../../legality/pairing-rules.ts";
import type { InteractionsView, PlacedStep } from "./interactions-view.ts";

const hasInput: LegalityRule<InteractionsView> = {
  id: "input",
  description: "There is at least one step.",
  reference: "Empty content",
  find: ({ placed }) => (placed.length > 0 ? [] : [{ place: { path: "$.input" }, problem: "there are no steps" }]),
};

const stepTypes: LegalityRule<InteractionsView> = {
  id: "roles",
  description:
    "A step has a type: user_input, model_output, thought, function_call, function_result, or that of a provider's own tool.",
  reference: "Roles",
  find: ({ placed }) =>
    placed
      .filter(({ kind }) => kind === "" || kind === "user" || kind === "model")
      .map(({ index }) => ({ place: at(index, undefined, "type"), problem: "the step has no known type" })),
};

const userFirst: LegalityRule<InteractionsView> = {
  id: "W10",
  description: "The first step is from the user.",
  reference: "First message",
  find: ({ placed: [first] }) =>
    first === undefined || first.kind === "user_input"
      ? []
      : [{ place: at(0), problem: "the first step is from the model" }],
};

const userLast: LegalityRule<InteractionsView> = {
  id: "W9",
  description: "The last step is from the user, or is a result.",
  reference: "Last message",
  find({ placed }) {
    const last = placed.at(-1);
    return last === undefined || last.kind === "user_input" || last.kind === "function_result"
      ? []
      : [{ place: at(last.index), problem: "the last step is from the model" }];
  },
};

const notEmpty: LegalityRule<InteractionsView> = {
  id: "W11",
  description:
    "A step of user input or model output has content, and no text in it is empty or only white space. No image or document is empty, in results either.",
  reference: "Empty content",
  find: ({ placed }) => placed.flatMap((one) => (isSpeech(one) ? emptyIn(one) : emptyMediaIn(one))),
};

const emptyMediaIn = ({ kind, step, index }: PlacedStep): readonly Finding[] =>
  asList(kind === "function_result" ? step.result : undefined).flatMap((block, place) =>
    hasNothing(block) ? [{ place: at(index, undefined, `result[${place}]`), problem: EMPTY_MEDIA }] : [],
  );

const MEDIA: readonly unknown[] = ["image", "audio", "document", "video"];

const hasNothing = (block: unknown): boolean =>
  isPlainObject(block) && MEDIA.includes(block.type) && isEmptyMedia(block);

const isSpeech = ({ kind }: PlacedStep): boolean => kind === "user_input" || kind === "model_output";

function emptyIn({ content, index }: PlacedStep): readonly Finding[] {
  if (content.length === 0) return [{ place: at(index), problem: "the step has no content" }];
  return content.flatMap((block, place) => {
    const isBlank = block.type === "text" && (asText(block.text) ?? "").trim() === "";
    const problem = isBlank ? "the text is empty" : EMPTY_MEDIA;
    return isBlank || hasNothing(block) ? [{ place: at(index, place), problem }] : [];
  });
}

const objectArguments: LegalityRule<InteractionsView> = {
  id: "W19",
  description: "The arguments of a call are an object.",
  reference: "Arguments",
  find: ({ placed }) =>
    placed
      .filter(({ kind, step }) => kind === "function_call" && !isPlainObject(step.arguments))
      .map(({ index }) => ({ place: at(index, undefined, "arguments"), problem: "the arguments are not an object" })),
};

const signedThoughts: LegalityRule<InteractionsView> = {
  id: "thoughts",
  description: "A thought carries its signature.",
  reference: "Reasoning",
  find: ({ placed }) =>
    placed
      .filter(({ kind, step }) => kind === "thought" && !asText(step.signature))
      .map(({ index }) => ({ place: at(index, undefined, "signature"), problem: "the thought is not signed" })),
};

const callIdOnce: LegalityRule<InteractionsView> = {
  id: "call-id-once",
  description: "A call id is used for only one call of the request.",
  reference: "Duplicate ids",
  find({ placed }) {
    const seen = new Set<unknown>();
    return placed
      .filter(({ kind }) => kind === "function_call")
      .filter(({ step }) => seen.has(step.id) || !seen.add(step.id))
      .map(({ index }) => ({ place: at(index, undefined, "id"), problem: "an earlier call has the same id" }));
  },
};

/** Matches types of the provider's own calls and results; functions are the host's. */
const HOSTED = /^(?!function_)(.+)_(call|result)$/;

const hostedPairs: LegalityRule<InteractionsView> = {
  id: "server-tools",
  description:
    "A call to a tool that the provider runs comes before its result, and neither appears without the other.",
  reference: "Call → result",
  find({ placed }) {
    const open = new Map<string, PlacedStep>();
    const stray: PlacedStep[] = [];
    for (const one of placed) {
      const [, tool, kind] = HOSTED.exec(one.kind) ?? [];
      if (tool === undefined) continue;
      if (kind === "call") open.set(`${tool} ${String(one.step.id)}`, one);
      else if (!open.delete(`${tool} ${String(one.step.call_id)}`)) stray.push(one);
    }
    return [...open.values(), ...stray].map(({ index }) => ({
      place: at(index),
      problem: "the call or result that belongs to the step is missing",
    }));
  },
};

const mediaPlaces: LegalityRule<InteractionsView> = {
  id: "media-places",
  description: "A result holds images and documents only if the model supports them, as models from Gemini 3 on do.",
  reference: "Images/docs",
  find({ placed, model }) {
    if (model === undefined || capabilitiesOf(model)?.multimodalResults !== false) return [];
    return placed
      .filter(({ kind, step }) => kind === "function_result" && asList(step.result).some(isMedia))
      .map(({ index }) => ({ place: at(index, undefined, "result"), problem: "the result holds media" }));
  },
};

const isMedia = (block: unknown): boolean => isPlainObject(block) && block.type !== "text";

const toolNames: LegalityRule<InteractionsView> = {
  id: "tool-names",
  description:
    "Function names begin with a letter or _ and have at most 128 letters, digits, _ . : and -, in calls and definitions.",
  reference: "Tool definitions",
  find: ({ payload, placed }) => [
    ...asList(payload.tools).flatMap((tool, index): readonly Finding[] =>
      isPlainObject(tool) && (tool.type !== "function" || hasForm(tool.name))
        ? []
        : [
            {
              place: { path: `$.tools[${index}].name` },
              problem: "the name is missing or too long, or has characters that are not allowed",
            },
          ],
    ),
    ...placed
      .filter(({ kind, step }) => kind === "function_call" && !hasForm(step.name))
      .map(({ index }) => ({
        place: at(index, undefined, "name"),
        problem: "the name is missing or too long, or has characters that are not allowed",
      })),
  ],
};

const hasForm = (name: unknown): boolean => /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/.test(asText(name) ?? "");

const stateless: LegalityRule<InteractionsView> = {
  id: "stateless",
  description: "If nothing is stored, nothing refers to a stored interaction.",
  reference: "Reasoning",
  find: ({ payload }) =>
    payload.store === false && asText(payload.previous_interaction_id) !== undefined
      ? [{ place: { path: "$.previous_interaction_id" }, problem: "the interaction is not stored" }]
      : [],
};

/** The legality table of the Interactions API. */
export const INTERACTIONS_RULES: readonly LegalityRule<InteractionsView>[] = [
  hasInput,
  stepTypes,
  ...PAIRING_RULES,
  userLast,
  userFirst,
  notEmpty,
  objectArguments,
  signedThoughts,
  callIdOnce,
  hostedPairs,
  mediaPlaces,
  toolNames,
  resultNames,
  toolsNamedOnce(({ type }) => type === "function"),
  stateless,
];
