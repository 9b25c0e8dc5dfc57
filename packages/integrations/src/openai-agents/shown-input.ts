import type { AgentInputItem } from "@openai/agents";
import { type AgentThread, type ChatMessage, toSystemText } from "@threadfold/core";
import { livePositions } from "@threadfold/importers";
import type { PreparedRequest } from "@threadfold/session";
import { agentItems } from "./agent-items.ts";

/** What the model is sent. */
export interface ShownInput {
  readonly input: AgentInputItem[];
  /** Set when they are others than the agent's, such as when the thread has something to add to them. */
  readonly instructions?: string;
}

/** What the host has itself: the items that the thread is the mirror of, and the agent's instructions. */
export interface HostInput {
  readonly items: readonly AgentInputItem[];
  /** Place in the conversation of the first item. */
  readonly offset: number;
  readonly instructions: string | undefined;
}

/** The input of a request. What the plan shows as it was said are the host's own items; what it folds are items of ours. */
export function shownInput({ request }: PreparedRequest, thread: AgentThread, host: HostInput): ShownInput {
  const input = request.messages.flatMap((message) => ownItems(message, thread, host) ?? agentItems(message));
  const instructions = request.system.map((entry) => toSystemText(entry).text).join("\n\n");
  return instructions === (host.instructions ?? "") ? { input } : { input, instructions };
}

/** The host's items behind a message that rendering left as it is. */
function ownItems(
  { sources, synthetic, parts }: ChatMessage,
  thread: AgentThread,
  { items, offset }: HostInput,
): readonly AgentInputItem[] | undefined {
  const [id, ...others] = sources;
  if (synthetic !== undefined || id === undefined || others.length > 0) return undefined;
  const message = thread.message(id);
  if (message?.parts !== parts) return undefined;
  const own = livePositions(message).map((position) => items[position - offset]);
  return own.length === 0 || own.includes(undefined) ? undefined : (own as readonly AgentInputItem[]);
}
