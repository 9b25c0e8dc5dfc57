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
  type Place,
  type PlainObject,
} from "../../legality/legality-rule.ts";
import { hasContent, PAIRING_RULES, toolSchemas, toolsNamedOnce } from "../../legality/pairing-rules.ts";
import {
  type AnthropicView,
  type BlockWithin,
  blocksWithin,
  type PlacedBlock,
  placeOf,
  systemRuns,
} from "./anthropic-view.ts";
import { MAX_IMAGE } from "./requirements.ts";
import { thinkingBoundToPrefix, thinkingIntact, thinkingToolChoice } from "./thinking-rules.ts";
import {
  callers,
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
    "A server-side compaction block is from the assistant, and its content is null or a text that is not empty. A signed one is the very first block, and the only one with content.",
  reference: "Compaction objects",
  find(view) {
    const placed = view.blocksOf("compaction");
    const found = (wrong: readonly PlacedBlock[], problem: string): readonly Finding[] =>
      wrong.map((each) => ({ place: placeOf(each), problem }));
    const signed = placed.filter(({ block }) => asText(block.signature));
    const told = placed.filter(({ block }) => asText(block.content));
    return [
      ...found(
        placed.filter(({ block, role }) => role !== "assistant" || !isContent(block.content)),
        "the compaction block is not as the server returned it",
      ),
      ...found(
        signed.filter(({ ordinal }) => ordinal > 0),
        "the signed compaction block does not come first",
      ),
      ...found(signed.length > 0 ? told.slice(1) : [], "there is another compaction block with content"),
    ];
  },
};

const isContent = (content: unknown): boolean =>
  content === null || content === undefined || (typeof content === "string" && content.trim() !== "");

const PROBLEM = "the text is blank";

const noBlankText: LegalityRule<AnthropicView> = {
  id: "W11",
  description:
    "No text is empty or only white space, whether in a message, a result or the system text, and no image or document is empty.",
  reference: "Empty content",
  find: (view) => [
    ...asList(view.payload.system).flatMap((block, index) =>
      isBlankText(block) ? [{ place: { path: `$.system[${index}]` }, problem: PROBLEM }] : [],
    ),
    ...blocksWithin(view, ["text"])
      .filter(({ block }) => isBlankText(block))
      .map(({ placed, field }) => ({ place: placeOf(placed, field), problem: PROBLEM })),
    ...blocksWithin(view, ["image", "document"])
      .filter(({ block }) => isEmptyMedia(block.source))
      .map(({ placed, field }) => ({ place: placeOf(placed, field), problem: EMPTY_MEDIA })),
    ...view
      .blocksOf("tool_result")
      .filter(({ block }) => asText(block.content)?.trim() === "")
      .map((placed) => ({ place: placeOf(placed), problem: PROBLEM })),
  ],
};

const isBlankText = (block: unknown): boolean =>
  isPlainObject(block) && block.type === "text" && typeof block.text === "string" && block.text.trim() === "";

const mediaPlaces: LegalityRule<AnthropicView> = {
  id: "media-places",
  description: "Images and documents appear only in user messages and in results.",
  reference: "Images/docs",
  find: (view) =>
    [...view.blocksOf("image"), ...view.blocksOf("document")]
      .filter(({ role }) => role === "assistant")
      .map((placed) => ({ place: placeOf(placed), problem: "an assistant turn holds an image or document" })),
};

const mediaSize: LegalityRule<AnthropicView> = {
  id: "media-size",
  description: `An image has at most ${MAX_IMAGE} characters of base64.`,
  reference: "Images/docs",
  find: (view) =>
    blocksWithin(view, ["image"])
      .filter(({ block }) => (asText(Object(block.source).data) ?? "").length > MAX_IMAGE)
      .map(({ placed, field }) => ({ place: placeOf(placed, field), problem: "the image is too large" })),
};

const endsOnUser: LegalityRule<AnthropicView> = {
  id: "W9",
  description:
    "The last message is from the user, unless the model may continue its own text or a server tool that it paused.",
  reference: "Last message",
  find(view) {
    const { payload, messages } = view;
    const model = asText(payload.model);
    if (model !== undefined && capabilitiesOf(model)?.prefill === true) return [];
    const last = messages.length - 1;
    return messages[last]?.role === "assistant" && !isPaused(view)
      ? [{ place: at(last), problem: "the request ends with an assistant turn" }]
      : [];
  },
};

const startsOnUser: LegalityRule<AnthropicView> = {
  id: "W10",
  description: "The first message is from the user, or is a server-side compaction block.",
  reference: "First message",
  find({ messages, blocks }) {
    const isIllegal = messages[0]?.role === "assistant" && blocks[0]?.block.type !== "compaction";
    return isIllegal ? [{ place: at(0), problem: "the request starts with an assistant turn" }] : [];
  },
};

const ROLES: readonly unknown[] = ["user", "assistant", "system"];

const knownRoles: LegalityRule<AnthropicView> = {
  id: "roles",
  description: "Messages have the role user or assistant, or system inside the conversation.",
  reference: "Roles",
  find: ({ messages }) =>
    messages.flatMap(({ role }, index) =>
      ROLES.includes(role) ? [] : [{ place: at(index, undefined, "role"), problem: "the role is not known" }],
    ),
};

/** Nothing in the payload says what the model takes if the payload does not name it. */
const systemPlaces: LegalityRule<AnthropicView> = {
  id: "system-places",
  description:
    "System messages are sent only to models that take them, and those with content only between what is said to the model, or found by a tool of the provider, and its answer; one for a single turn holds only text without breakpoints.",
  reference: "Roles",
  find(view) {
    const model = asText(view.payload.model);
    const isRefused = model !== undefined && !view.systemInside && capabilitiesOf(model)?.systemInside === false;
    return systemRuns(view).flatMap(({ run, start, isPlaced }) =>
      run.flatMap((message, offset): readonly Finding[] => {
        const index = start + offset;
        if (!hasBlocks(message)) return [];
        if (isRefused) return [{ place: at(index), problem: "the model takes no system messages" }];
        if (isPlaced) return beyondText(message, index);
        return [{ place: at(index), problem: "the system message is not between what is said and its answer" }];
      }),
    );
  },
};

const hasBlocks = ({ content }: PlainObject): boolean => typeof content === "string" || asList(content).length > 0;

/** A message that is shown for one turn only is text and nothing else. */
function beyondText({ clear_at, output_config, content }: PlainObject, index: number): readonly Finding[] {
  if (clear_at !== "next_user_message") return [];
  if (output_config !== undefined && output_config !== null)
    return [{ place: at(index, undefined, "output_config"), problem: "the setting is for one turn" }];
  const block = asList(content).findIndex((one) => !isPlainObject(one) || one.type !== "text" || isMarked(one));
  return block < 0 ? [] : [{ place: at(index, block), problem: "the message for one turn holds more than text" }];
}

/** A system message may be without content if it changes a setting. */
const hasSomething: LegalityRule<AnthropicView> = {
  ...hasContent,
  description: "There is at least one message, and every message has content or changes a setting.",
  find: (view) =>
    hasContent
      .find(view)
      .filter(({ place }) => !("message" in place) || !changesSetting(view.messages[place.message] ?? {})),
};

const changesSetting = ({ role, output_config }: PlainObject): boolean =>
  role === "system" && isPlainObject(output_config) && Object.keys(output_config).length > 0;

/** Content that can be cited, and whether citations are on: documents and search results in messages and results. */
interface Citable extends BlockWithin {
  readonly isCited: boolean;
}

const citablesOf = (view: AnthropicView): readonly Citable[] =>
  blocksWithin(view, ["document", "search_result"])
    .map((one) => ({ ...one, isCited: Object(one.block.citations).enabled === true }))
    .sort((a, b) => a.placed.ordinal - b.placed.ordinal);

const citations: LegalityRule<AnthropicView> = {
  id: "citations",
  description:
    "Citations are on for every document and search result of a request or for none, and for none if the response format is a schema.",
  reference: "Images/docs",
  find(view) {
    const citables = citablesOf(view);
    const [first] = citables;
    const found = (problem: string, wrong: Citable | undefined): readonly Finding[] =>
      wrong === undefined ? [] : [{ place: placeOf(wrong.placed, wrong.field), problem }];
    const mixed = citables.find(({ isCited }) => isCited !== first?.isCited);
    if (mixed !== undefined) return found("citations are on for some documents and off for others", mixed);
    const hasForm = isPlainObject(view.responseFormat);
    return found(
      "citations are on although the response format is a schema",
      hasForm && first?.isCited ? first : undefined,
    );
  },
};

/** A beta feature that parts of a request require: the start of its names, and the oldest name that is sufficient. */
interface BetaFeature {
  readonly family: string;
  readonly since: string;
  /** The start of another feature's names that include it. */
  readonly or?: string;
}

const feature = (family: string, since = family): BetaFeature => ({ family, since });
const COMPACTION = feature("compact-");
const ON_DEMAND = feature("compact-", "compact-2026-09-04");
const CONTEXT_EDITING = feature("context-management-");
const MCP = feature("mcp-client-");
const ONE_TURN = feature("mid-conversation-system-clear-at-");
const SETTINGS = feature("mid-conversation-output-config-");
const TOOL_CHANGES: BetaFeature = { ...feature("mid-conversation-tool-changes-"), or: "inline-tools-" };

/** Lists what in a payload requires a beta feature. Tool search, tool references and files no longer do (SDK 1.12). */
function* featuresIn(view: AnthropicView): Iterable<readonly [BetaFeature, Place]> {
  const { payload, messages, blocks, contextManagement } = view;
  if (payload.compaction !== undefined) yield [ON_DEMAND, { path: "$.compaction" }];
  if (asList(payload.mcp_servers).length > 0) yield [MCP, { path: "$.mcp_servers" }];
  const edits = isPlainObject(contextManagement) ? asList(contextManagement.edits) : [];
  for (const [index, edit] of edits.entries()) {
    const type = isPlainObject(edit) ? asText(edit.type) : undefined;
    const used = type?.startsWith("compact_") === true ? COMPACTION : CONTEXT_EDITING;
    yield [used, { path: `$.context_management.edits[${index}]` }];
  }
  for (const [index, { role, clear_at, output_config }] of messages.entries()) {
    if (role !== "system") continue;
    if (clear_at === "next_user_message") yield [ONE_TURN, at(index, undefined, "clear_at")];
    if (isPlainObject(output_config)) yield [SETTINGS, at(index, undefined, "output_config")];
  }
  for (const placed of blocks) {
    const { type, signature } = placed.block;
    if (type === "tool_addition" || type === "tool_removal") yield [TOOL_CHANGES, placeOf(placed)];
    if (type === "mcp_tool_use" || type === "mcp_tool_result") yield [MCP, placeOf(placed)];
    if (type === "compaction") yield [signature === undefined ? COMPACTION : ON_DEMAND, placeOf(placed)];
  }
}

/** Only the host knows which features it asks for; this is checked if the payload says so or the host declared it. */
const betaFeatures: LegalityRule<AnthropicView> = {
  id: "beta-features",
  description:
    "What belongs to a beta feature is sent with the feature's name: compactions and their blocks, context edits, MCP servers and calls to them, settings and tools that a system message changes, and system messages for one turn.",
  reference: "Compaction objects",
  find(view) {
    const { betas } = view;
    if (!Array.isArray(betas)) return [];
    const names = betas.flatMap((name) => asText(name) ?? []);
    return [...featuresIn(view)].flatMap(([{ family, since, or }, place]): readonly Finding[] =>
      names.some((name) => (name.startsWith(family) && name >= since) || (or !== undefined && name.startsWith(or)))
        ? []
        : [{ place, problem: `no beta feature ${since}${since === family ? "…" : ""} is requested` }],
    );
  },
};

/** The legality table of Anthropic Messages. Adding a rule takes a constant and a line here. */
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
  systemPlaces,
  hasSomething,
  callIdForm,
  callIdOnce,
  callers,
  toolsDeclared,
  toolNames,
  toolReferences,
  deferredTools,
  toolsNamedOnce(),
  toolSchemas({ path: ["input_schema"], refused: ["allOf", "anyOf", "oneOf"] }),
  mediaPlaces,
  mediaSize,
  failedResults,
  citations,
  compactionBlocks,
  betaFeatures,
];
