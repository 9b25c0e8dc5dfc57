import type { Agent } from "@openai/agents";
import type { FrameFields, RequestFrame } from "@threadfold/session";

type Tool = Agent["tools"][number];

/**
 * What the SDK sends beside the conversation, as far as the agent itself has it: of one without instructions the session's
 * own hold, and tools of MCP servers are not known here.
 */
export const agentFrame = (agent: Pick<Agent, "tools">, instructions: string | undefined): FrameFields => ({
  ...(instructions !== undefined && instructions !== "" && { system: [instructions] }),
  ...(agent.tools.length > 0 && { tools: agent.tools.flatMap(definitionOf) }),
});

function definitionOf(tool: Tool): RequestFrame["tools"] {
  if (tool.type !== "function") return [];
  const { name, description, parameters } = tool;
  const inputSchema = parameters as unknown as RequestFrame["tools"][number]["inputSchema"];
  return [{ name, ...(description !== "" && { description }), inputSchema }];
}
