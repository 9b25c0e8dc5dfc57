import type { Finding, LegalityRule } from "../../../legality/legality-rule.ts";
import { asText } from "../../../legality/plain-object.ts";
import { type AnthropicView, type PlacedBlock, placeOf } from "../anthropic-view.ts";

/** What a call and its result share, of tools of the provider and of MCP servers apart; undefined for anything else. */
function pairOf({ block }: PlacedBlock): { readonly key: string; readonly isCall: boolean } | undefined {
  const type = asText(block.type) ?? "";
  if (type === "server_tool_use" || type === "mcp_tool_use")
    return { key: `${type} ${String(block.id)}`, isCall: true };
  if (!type.endsWith("_tool_result")) return undefined;
  const call = type === "mcp_tool_result" ? "mcp_tool_use" : "server_tool_use";
  return { key: `${call} ${String(block.tool_use_id)}`, isCall: false };
}

export const serverTools: LegalityRule<AnthropicView> = {
  id: "server-tools",
  description:
    "A call of a tool that runs at the provider is answered once and before the user speaks, unless the request ends with it.",
  reference: "Call → result",
  find(view) {
    const findings: Finding[] = [];
    const open = new Map<string, PlacedBlock>();
    const called = new Set<string>();
    const unanswered = (): void => {
      for (const call of open.values()) findings.push({ place: placeOf(call), problem: "the call has no result" });
      open.clear();
    };
    for (const { role, blocks } of view.turns) {
      for (const placed of blocks) {
        if (role !== "assistant" && placed.block.type !== "tool_result") unanswered();
        const pair = pairOf(placed);
        if (pair === undefined) continue;
        if (!pair.isCall && !open.delete(pair.key))
          findings.push({ place: placeOf(placed), problem: "nothing calls for this result" });
        if (pair.isCall && called.has(pair.key))
          findings.push({ place: placeOf(placed, "id"), problem: "an earlier call has the same id" });
        else if (pair.isCall) open.set(pair.key, placed);
        if (pair.isCall) called.add(pair.key);
      }
    }
    // What is still open the provider goes on with: nobody spoke since.
    return findings;
  },
};

/** True when the request ends with the assistant and a call of it that the provider goes on with. */
export function isPaused({ turns }: AnthropicView): boolean {
  const open = new Set<string>();
  for (const { role, blocks } of turns) {
    for (const placed of blocks) {
      if (role !== "assistant" && placed.block.type !== "tool_result") open.clear();
      const pair = pairOf(placed);
      if (pair?.isCall === true) open.add(pair.key);
      else if (pair !== undefined) open.delete(pair.key);
    }
  }
  return open.size > 0;
}
