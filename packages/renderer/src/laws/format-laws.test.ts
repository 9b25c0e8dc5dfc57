import type { ChatRequest, JsonObject } from "@threadfold/core";
import { brokenLaws, forAll, keepLaws, type Law, together } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { FORMATS, formatById } from "../formats/formats.ts";
import type { ProviderFormat } from "../formats/provider-format.ts";
import type { RenderInput } from "../input/render-input.ts";
import { formatChecks, formatLaws } from "./format-laws.ts";
import { renderInputs } from "./render-inputs.ts";

/** The laws of all formats that are meant as one: an input costs as much as rendering it, so all are tried on the same. */
function ofAllFormats(title: string, isMeant: (law: Law<RenderInput>) => boolean): Law<RenderInput> {
  const laws = FORMATS.map((format) => ({ id: format.id, laws: formatChecks(format).filter(isMeant) }));
  const names = laws[0]?.laws.map(({ name }) => name).join("; ");
  return together(
    `${title}: ${names}`,
    laws.flatMap(({ id, laws }) => laws.map((law) => ({ ...law, name: `${id}: ${law.name}` }))),
  );
}

const isOfOneVersion = ({ cost = 1 }: Law<RenderInput>): boolean => cost === 1;
const laws = [
  ofAllFormats("keep their laws", isOfOneVersion),
  ofAllFormats("keep their laws as a thread grows", (law) => !isOfOneVersion(law)),
];

// Each is tried in every format: five thousand transcripts and more.
keepLaws(`R17 ${FORMATS.map(({ id }) => id).join(", ")}`, forAll(renderInputs, laws, 750), { describe, it });

/** Models whose requests differ in more than names from those for a model that nobody knows. */
const OF_MODELS = [
  // Inside a conversation, Anthropic's newer models take system messages only right before an answer.
  ["anthropic-messages", "claude-opus-4-8", "with system messages inside"],
  ["openai-chat", "deepseek-v4", "with reasoning that is sent back as text"],
] as const;

for (const [id, model, title] of OF_MODELS) {
  const inputs = renderInputs.map((input): RenderInput => ({ ...input, model }));
  keepLaws(`R17 ${id} ${title}`, formatLaws(formatById(id), { inputs, times: 100 }), { describe, it });
}

const ours = formatById("neutral");

/** A format that leaves out what a function takes from a request. */
const lowering = (taken: (request: ChatRequest) => ChatRequest): Partial<ProviderFormat> => ({
  lower: (request) => ours.lower(taken(request)),
});

const CARELESS: Readonly<Record<string, readonly [Partial<ProviderFormat>, problem: RegExp]>> = {
  "the system text": [lowering((request) => ({ ...request, system: [] })), /^the payload does not say "/],
  "the tools": [lowering((request) => ({ ...request, tools: [] })), /^the payload does not say "(?:read|mcp.search)"/],
  "the newest message": [
    lowering(({ messages, ...request }) => ({ ...request, messages: messages.slice(0, -1) })),
    /^(?:the payload does not say "|the request has messages, and messages of the payload lists none)/,
  ],
  everything: [
    { lower: () => ({ payload: { messages: [] } }), check: () => [] },
    /^(?:the payload does not say "|the request has messages, and messages of the payload lists none)/,
  ],
  "the name of its list of messages": [
    { messagesField: "items" },
    /^the request has messages, and items of the payload lists none/,
  ],
  "the messages, once it places breakpoints": [
    { mark: (payload: JsonObject) => ({ ...payload, messages: [] }) },
    /^with breakpoints the payload does not say "/,
  ],
};

describe("the laws of formats", () => {
  it.each(Object.entries(CARELESS))("are broken by one that leaves out %s", async (_, [careless, problem]) => {
    const laws = formatLaws({ ...ours, ...careless }, { times: 40 });
    const [found] = await brokenLaws(laws.filter(({ name }) => name.startsWith("everything that the request says")));
    expect(found?.problem).toMatch(problem);
  });
});
