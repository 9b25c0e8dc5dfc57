import type { SystemEntry, ToolDefinition } from "@threadfold/core";
import { aiSdkSystem } from "../ai-sdk/ai-sdk-parts.ts";
import { anthropicSystem, anthropicTools } from "../anthropic-messages/anthropic-frame.ts";
import { geminiSystem, geminiTools } from "../gemini/gemini-messages.ts";
import { openaiTools, responsesTools } from "../openai-chat/openai-tools.ts";
import { type ForeignObject, listOf, nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import { SessionDraft } from "../session/session-draft.ts";
import { type LiveFormat, wireValue } from "./live-value.ts";

/** What a host sends besides the conversation, in core's model. */
export interface LiveFrame {
  readonly system: readonly SystemEntry[];
  readonly tools: readonly ToolDefinition[];
}

/**
 * Reads what accompanies the conversation in the body of a host's request: `system` or `instructions`, and `tools`.
 * Entries that are not tools of the format are left out.
 */
export function liveFrame(format: LiveFormat, body: object): LiveFrame {
  return READERS[format](objectOf(wireValue(body)) ?? {});
}

const READERS: Readonly<Record<LiveFormat, (body: ForeignObject) => LiveFrame>> = {
  "ai-sdk": ({ instructions, system, tools }) => ({
    system: aiSdkSystem(instructions ?? system),
    tools: (listOf(tools) ?? []).flatMap(functionTool),
  }),
  "anthropic-messages": ({ system, tools }) => ({
    system: anthropicSystem(system),
    tools: anthropicTools(tools, new SessionDraft()),
  }),
  "openai-chat": ({ tools }) => ({ system: [], tools: openaiTools(tools, new SessionDraft()) }),
  "openai-responses": ({ instructions, tools }) => ({
    system: [nonEmptyText(instructions)?.toWellFormed()].filter((text) => text !== undefined),
    tools: responsesTools(tools, new SessionDraft()),
  }),
  // Google's SDK has both inside its `config`.
  gemini: ({ config, systemInstruction = objectOf(config)?.systemInstruction, tools = objectOf(config)?.tools }) => ({
    system: geminiSystem(systemInstruction),
    tools: geminiTools(tools, new SessionDraft()),
  }),
};

/**
 * Reads a tool in the form that the AI SDK sends to a model. Tools that run at the provider have no schema that could
 * be counted.
 */
function functionTool(value: unknown): readonly ToolDefinition[] {
  const tool = objectOf(value);
  const name = nonEmptyText(tool?.name);
  if (tool === undefined || name === undefined || tool.type !== "function") return [];
  const description = textOf(tool.description);
  const inputSchema = (objectOf(tool.inputSchema) ?? { type: "object" }) as ToolDefinition["inputSchema"];
  return [{ name, ...(description !== undefined && { description }), inputSchema }];
}
