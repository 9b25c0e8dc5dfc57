import { liveFrame } from "@threadfold/importers";
import { fromOpenaiResponse } from "@threadfold/integrations/openai";
import { openaiTooLong } from "./openai-chat.ts";
import type { ProviderApi, StreamedAnswer, WireObject } from "./provider-api.ts";
import { hostFields, listOf, objectOf } from "./wire-value.ts";

/** OpenAI's Responses. A request that goes on from what the provider keeps is none that could be folded here. */
export const openaiResponses: ProviderApi = {
  provider: "openai",
  path: "/responses",
  format: "openai-responses",
  conversationOf({ input, previous_response_id: previous, conversation, background }) {
    if ((previous ?? conversation ?? null) !== null || background === true) return undefined;
    if (typeof input === "string") return [{ role: "user", content: input }];
    return listOf(input)?.filter((item) => !saysTools(item));
  },
  frameOf: ({ body }) => ({
    ...liveFrame("openai-responses", { ...body, tools: toolsOf(body) }),
    ...hostFields({
      toolChoice: body["tool_choice"],
      store: body["store"],
      responseFormat: objectOf(body["text"])?.["format"],
    }),
  }),
  withConversation: (body, { input, instructions }) => ({
    ...body,
    input: [...(listOf(body["input"]) ?? []).filter(saysTools), ...(listOf(input) ?? [])],
    ...(instructions !== undefined && { instructions }),
  }),
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

/** Items by which a client says among its messages what tools there are. They are not of the conversation, and always stay. */
const saysTools = (item: unknown): boolean => objectOf(item)?.["type"] === "additional_tools";

/** Every tool that a request offers, those in namespaces too. */
const toolsOf = ({ tools, input }: WireObject): readonly unknown[] =>
  [tools, ...(listOf(input) ?? []).filter(saysTools).map((item) => objectOf(item)?.["tools"])].flatMap(flatTools);

const flatTools = (tools: unknown): readonly unknown[] =>
  (listOf(tools) ?? []).flatMap((tool) =>
    objectOf(tool)?.["type"] === "namespace" ? flatTools(objectOf(tool)?.["tools"]) : [tool],
  );

const LAST_EVENTS: ReadonlySet<unknown> = new Set(["response.completed", "response.incomplete"]);

/** A response as its stream tells it: the last event has all of it. */
class StreamedResponse implements StreamedAnswer {
  #whole: WireObject | undefined;

  add({ type, response }: WireObject): void {
    if (LAST_EVENTS.has(type)) this.#whole = objectOf(response);
  }

  whole(): WireObject | undefined {
    return this.#whole;
  }
}
