import { type LiveFrame, liveFrame } from "@threadfold/importers";
import { fromOpenaiResponse } from "@threadfold/integrations/openai";
import { openaiTooLong } from "./openai-chat.ts";
import type { ProviderApi, StreamedAnswer, WireObject } from "./provider-api.ts";
import { hostFields, listOf, objectOf, openedList, systemEntries } from "./wire-value.ts";

/** OpenAI's Responses API. A request that continues a conversation stored at the provider cannot be folded here. */
export const openaiResponses: ProviderApi = {
  provider: "openai",
  path: "/responses",
  format: "openai-responses",
  conversationOf({ input, previous_response_id: previous, conversation, background }) {
    if ((previous ?? conversation ?? null) !== null || background === true) return undefined;
    if (typeof input === "string") return [{ role: "user", content: input }];
    const items = listOf(input);
    if (items?.some((item) => objectOf(item)?.["type"] === "item_reference")) return undefined;
    return items && openedList(items.filter((item) => !saysTools(item))).conversation;
  },
  frameOf: ({ body }) => ({
    ...frameWith(liveFrame("openai-responses", { ...body, tools: toolsOf(body) }), systemOf(body)),
    ...hostFields({
      toolChoice: body["tool_choice"],
      store: body["store"],
      responseFormat: objectOf(body["text"])?.["format"],
    }),
  }),
  withConversation(own, { input, instructions, tools }) {
    const body = withRevealed(own, tools);
    const system = systemOf(own);
    const said = (listOf(input) ?? []).slice(systemEntries(system).length);
    return {
      ...body,
      input: [...(listOf(body["input"]) ?? []).filter(saysTools), ...system, ...said],
      ...(instructions !== undefined && { instructions }),
    };
  },
  streamedAnswer: () => new StreamedResponse(),
  answerOf(whole) {
    const values = listOf(whole["output"]);
    if (values === undefined) return undefined;
    const { usage, stopReason } = fromOpenaiResponse(whole as unknown as Parameters<typeof fromOpenaiResponse>[0]);
    return {
      values,
      report: { ...(usage !== undefined && { usage }), ...(stopReason !== undefined && { stopReason }) },
    };
  },
  tooLong: (required, budget, why) => openaiTooLong("input", required, budget, why),
};

/**
 * True for items in which a client declares tools among its messages. They are not part of the conversation and always
 * stay.
 */
const saysTools = (item: unknown): boolean => objectOf(item)?.["type"] === "additional_tools";

/** Returns the system messages that a request begins with besides its instructions. */
const systemOf = ({ input }: WireObject): readonly unknown[] =>
  openedList((listOf(input) ?? []).filter((item) => !saysTools(item))).system;

const frameWith = ({ system, tools }: LiveFrame, messages: readonly unknown[]): LiveFrame => ({
  system: [...system, ...systemEntries(messages)],
  tools,
});

/** Returns every tool that a request declares, in `tools` or in its items. */
const toolsOf = ({ tools, input }: WireObject): readonly unknown[] =>
  [tools, ...(listOf(input) ?? []).filter(saysTools).map((item) => objectOf(item)?.["tools"])].flatMap(
    (list) => listOf(list) ?? [],
  );

/**
 * Returns the client's body with tools that a search revealed in the folded part: deferred tools are declared outright,
 * and tools that only such a search defined are added after the client's own. Everything else stays.
 *
 * @param sent the tools of the folded request.
 */
function withRevealed(body: WireObject, sent: unknown): WireObject {
  const given = new Map(namedTools(toolsOf(body)).map(([key, tool]) => [key, tool]));
  const outright = new Set<string>();
  const found: Found[] = [];
  for (const [key, tool, namespace] of namedTools(listOf(sent) ?? [])) {
    if (!given.has(key)) found.push({ tool, namespace });
    else if (tool["defer_loading"] !== true && given.get(key)?.["defer_loading"] === true) outright.add(key);
  }
  if (outright.size === 0 && found.length === 0) return body;
  const { tools, input } = body;
  const shown = found.reduce(withFound, declaredOutright(listOf(tools) ?? [], outright));
  return {
    ...body,
    ...(shown.length > 0 && { tools: shown }),
    input: (listOf(input) ?? []).map((item) =>
      saysTools(item)
        ? { ...objectOf(item), tools: declaredOutright(listOf(objectOf(item)?.["tools"]) ?? [], outright) }
        : item,
    ),
  };
}

/** A tool that only the client's own tool search defined, and the namespace that it belongs to. */
interface Found {
  readonly tool: WireObject;
  readonly namespace: WireObject | undefined;
}

function withFound(tools: readonly unknown[], { tool, namespace }: Found): readonly unknown[] {
  if (namespace === undefined) return [...tools, tool];
  const isGroup = (one: unknown): boolean =>
    objectOf(one)?.["type"] === NAMESPACE && objectOf(one)?.["name"] === namespace["name"];
  if (!tools.some(isGroup)) return [...tools, { ...namespace, tools: [tool] }];
  return tools.map((one) =>
    isGroup(one) ? { ...objectOf(one), tools: [...(listOf(objectOf(one)?.["tools"]) ?? []), tool] } : one,
  );
}

const NAMESPACE = "namespace";

const keyOf = (tool: WireObject, namespace?: WireObject): string =>
  JSON.stringify([namespace?.["name"] ?? null, tool["name"] ?? null]);

/** Returns the named tools in a list, each with its key and its namespace. */
function namedTools(
  tools: readonly unknown[],
  namespace?: WireObject,
): readonly (readonly [string, WireObject, WireObject | undefined])[] {
  return tools.flatMap((value) => {
    const tool = objectOf(value);
    if (tool?.["type"] === NAMESPACE) return namedTools(listOf(tool["tools"]) ?? [], tool);
    return typeof tool?.["name"] === "string" ? [[keyOf(tool, namespace), tool, namespace] as const] : [];
  });
}

const declaredOutright = (
  tools: readonly unknown[],
  outright: ReadonlySet<string>,
  namespace?: WireObject,
): readonly unknown[] =>
  tools.map((value) => {
    const tool = objectOf(value);
    if (tool === undefined) return value;
    if (tool["type"] === NAMESPACE)
      return { ...tool, tools: declaredOutright(listOf(tool["tools"]) ?? [], outright, tool) };
    if (!outright.has(keyOf(tool, namespace))) return value;
    const { defer_loading: _, ...shown }: WireObject = tool;
    return shown;
  });

const LAST_EVENTS: ReadonlySet<unknown> = new Set(["response.completed", "response.incomplete"]);

/** Reads a response from its stream; the last event contains all of it. */
class StreamedResponse implements StreamedAnswer {
  #whole: WireObject | undefined;

  add({ type, response }: WireObject): void {
    if (LAST_EVENTS.has(type)) this.#whole = objectOf(response);
  }

  whole(): WireObject | undefined {
    return this.#whole;
  }
}
