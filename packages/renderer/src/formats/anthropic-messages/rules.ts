import { capabilitiesOf } from "../../input/model-capabilities.ts";
import { asList, asText, at, type Finding, isPlainObject, type LegalityRule } from "../../legality/legality-rule.ts";
import { hasContent, PAIRING_RULES, toolsNamedOnce } from "../../legality/pairing-rules.ts";
import { type AnthropicView, type PlacedBlock, placeOf } from "./anthropic-view.ts";
import { betaFeatures, citations } from "./feature-rules.ts";
import { thinkingBoundToPrefix, thinkingIntact, thinkingToolChoice } from "./thinking-rules.ts";
import {
  callIdForm,
  callIdOnce,
  deferredTools,
  failedResults,
  isPaused,
  objectInput,
  resultsBeforeSpeech,
  resultsFirst,
  serverTools,
  toolNames,
  toolReferences,
  toolsDeclared,
} from "./tool-rules.ts";

const MAX_BREAKPOINTS = 4;

const fewBreakpoints: LegalityRule<AnthropicView> = {
  id: "W17",
  description: `A request has at most ${MAX_BREAKPOINTS} cache breakpoints.`,
  reference: "Prompt-cache prices",
  find({ payload, blocks }) {
    let count = marked(asList(payload.tools)) + marked(asList(payload.system));
    for (const { block } of blocks) {
      if (isMarked(block)) count++;
      if (block.type === "tool_result" && typeof block.content !== "string") count += marked(asList(block.content));
    }
    return count > MAX_BREAKPOINTS ? [{ place: { path: "$" }, problem: `there are ${count} cache breakpoints` }] : [];
  },
};

const isMarked = (place: unknown): boolean => isPlainObject(place) && isPlainObject(place.cache_control);
const marked = (places: readonly unknown[]): number => places.filter(isMarked).length;

const compactionBlocks: LegalityRule<AnthropicView> = {
  id: "compaction-blocks",
  description:
    "A server-side compaction block is of the assistant, and its content is null or a text that is not empty.",
  reference: "Compaction objects",
  find: (view) =>
    view
      .blocksOf("compaction")
      .filter(({ block, role }) => role !== "assistant" || !isContent(block.content))
      .map((placed) => ({ place: placeOf(placed), problem: "the compaction block is not as the server gave it" })),
};

const isContent = (content: unknown): boolean =>
  content === null || content === undefined || (typeof content === "string" && content.trim() !== "");

const PROBLEM = "the text is blank";

const noBlankText: LegalityRule<AnthropicView> = {
  id: "W11",
  description: "No text is empty or white space only: not in a message, not in a result, not in the system text.",
  reference: "Empty content",
  find: (view) => [
    ...asList(view.payload.system).flatMap((block, index) =>
      isBlankText(block) ? [{ place: { path: `$.system[${index}]` }, problem: PROBLEM }] : [],
    ),
    ...view
      .blocksOf("text")
      .filter(({ block }) => isBlankText(block))
      .map((placed) => ({ place: placeOf(placed), problem: PROBLEM })),
    ...view.blocksOf("tool_result").flatMap(blankInResult),
  ],
};

function blankInResult(placed: PlacedBlock): readonly Finding[] {
  const { block } = placed;
  if (typeof block.content === "string")
    return block.content.trim() === "" ? [{ place: placeOf(placed), problem: PROBLEM }] : [];
  return asList(block.content).flatMap((inner, index) =>
    isBlankText(inner) ? [{ place: placeOf(placed, `content[${index}]`), problem: PROBLEM }] : [],
  );
}

const isBlankText = (block: unknown): boolean =>
  isPlainObject(block) && block.type === "text" && typeof block.text === "string" && block.text.trim() === "";

const mediaPlaces: LegalityRule<AnthropicView> = {
  id: "media-places",
  description: "Pictures and documents stand in user messages and in results.",
  reference: "Images/docs",
  find: (view) =>
    [...view.blocksOf("image"), ...view.blocksOf("document")]
      .filter(({ role }) => role === "assistant")
      .map((placed) => ({ place: placeOf(placed), problem: "an assistant turn holds a picture or document" })),
};

const endsOnUser: LegalityRule<AnthropicView> = {
  id: "W9",
  description:
    "The last message is of the user, unless the model may go on with a text of its own or with a server tool that it paused.",
  reference: "Last message",
  find(view) {
    const { payload, messages } = view;
    const model = asText(payload.model);
    if (model !== undefined && capabilitiesOf(model)?.prefill === true) return [];
    const last = messages.length - 1;
    return messages[last]?.role === "assistant" && !isPaused(view)
      ? [{ place: at(last), problem: "the request ends on an assistant turn" }]
      : [];
  },
};

const startsOnUser: LegalityRule<AnthropicView> = {
  id: "W10",
  description: "The first message is of the user, or a server-side compaction block.",
  reference: "First message",
  find({ messages, blocks }) {
    const isIllegal = messages[0]?.role === "assistant" && blocks[0]?.block.type !== "compaction";
    return isIllegal ? [{ place: at(0), problem: "the request starts on an assistant turn" }] : [];
  },
};

const knownRoles: LegalityRule<AnthropicView> = {
  id: "roles",
  description: "Messages are of role user or assistant; system text is a field of the request.",
  reference: "Roles",
  find: ({ messages }) =>
    messages.flatMap(({ role }, index) =>
      role === "user" || role === "assistant"
        ? []
        : [{ place: at(index, undefined, "role"), problem: "the role is neither user nor assistant" }],
    ),
};

/** The legality table of Anthropic Messages. A new rule is a file and a line here. */
export const ANTHROPIC_RULES: readonly LegalityRule<AnthropicView>[] = [
  ...PAIRING_RULES,
  serverTools,
  resultsBeforeSpeech,
  endsOnUser,
  startsOnUser,
  noBlankText,
  thinkingIntact,
  thinkingBoundToPrefix,
  thinkingToolChoice,
  fewBreakpoints,
  resultsFirst,
  objectInput,
  knownRoles,
  hasContent,
  callIdForm,
  callIdOnce,
  toolsDeclared,
  toolNames,
  toolReferences,
  deferredTools,
  toolsNamedOnce(),
  mediaPlaces,
  failedResults,
  citations,
  compactionBlocks,
  betaFeatures,
];
