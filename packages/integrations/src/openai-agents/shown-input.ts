import type { AgentInputItem } from "@openai/agents";
import { type AgentThread, type ChatMessage, type SystemEntry, toSystemText } from "@threadfold/core";
import { livePositions } from "@threadfold/importers";
import type { PreparedRequest } from "@threadfold/session";
import { agentItems } from "./agent-items.ts";

/** What the model is sent. */
export interface ShownInput {
  readonly input: AgentInputItem[];
  /** Set when the thread has something to add to the instructions of the agent. */
  readonly instructions?: string;
}

/**
 * The input of a request. What the plan shows as it was said are the host's own items; what it folds are items of ours.
 *
 * @param hosts the host's list, of which the thread is the mirror.
 * @param own the host's instructions.
 */
export function shownInput(
  { request }: PreparedRequest,
  thread: AgentThread,
  hosts: readonly AgentInputItem[],
  own: readonly SystemEntry[],
): ShownInput {
  const input = request.messages.flatMap((message) => ownItems(message, thread, hosts) ?? agentItems(message));
  if (request.system.length === own.length) return { input };
  return { input, instructions: request.system.map((entry) => toSystemText(entry).text).join("\n\n") };
}

/** The host's items behind a message that rendering left as it is. */
function ownItems(
  { sources, synthetic, parts }: ChatMessage,
  thread: AgentThread,
  hosts: readonly AgentInputItem[],
): readonly AgentInputItem[] | undefined {
  const [id, ...others] = sources;
  if (synthetic !== undefined || id === undefined || others.length > 0) return undefined;
  const message = thread.message(id);
  if (message?.parts !== parts) return undefined;
  const items = livePositions(message).flatMap((position) => hosts[position] ?? []);
  return items.length === 0 ? undefined : items;
}
