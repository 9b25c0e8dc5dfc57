import {
  type AgentThread,
  type ChatMessage,
  type ChatRequest,
  systemText,
  type TokenBreakdown,
  visibleText,
} from "@threadfold/core";
import type { RenderedMessage, Rendering } from "@threadfold/renderer";
import type { BlockRow, RequestRow } from "../rows/call-row.ts";

/** A block of a request, in the provider's order. */
export interface RequestBlock extends Omit<BlockRow, "text" | "record" | "from" | "to"> {
  /** The message of the rendering; null for blocks before the messages. */
  readonly rendered: RenderedMessage | null;
  /** The text that the model reads, unless it is a message exactly as logged; null if it is. */
  readonly text: string | null;
}

/** Number of blocks before the messages of a request. */
export const LEADING_BLOCKS = 3;

/**
 * Returns the blocks before the messages: what the provider wraps around the request, the tools, and the system text.
 */
export function leadingBlocks({ request, manifest, breakdown, tokens }: Rendering): readonly RequestBlock[] {
  const messages = manifest.messages.reduce((sum, message) => sum + message.tokens, 0);
  const { system, tools } = breakdown;
  const block = (action: RequestBlock["action"], blockTokens: number, text: string): RequestBlock => ({
    action,
    role: "system",
    tokens: blockTokens,
    rendered: null,
    text,
  });
  return [
    block("wrapping", tokens - messages - system - tools, ""),
    block("tools", tools, request.tools.map((tool) => JSON.stringify(tool)).join("\n")),
    block("system", system, request.system.map(systemText).join("\n\n")),
  ];
}

/** Returns the block of a message of a request. */
export function messageBlock({ request, manifest }: Rendering, index: number, thread: AgentThread): RequestBlock {
  const rendered = manifest.messages[index] as RenderedMessage;
  const chat = request.messages[index] as ChatMessage;
  const { action, role, tokens } = rendered;
  return { action, role, tokens, rendered, text: isAsLogged(rendered, chat, thread) ? null : shownText(chat) };
}

function isAsLogged({ action, sources }: RenderedMessage, chat: ChatMessage, thread: AgentThread): boolean {
  const [source] = sources;
  if (action !== "include" || source === undefined || sources.length > 1) return false;
  return shownText(chat) === visibleText(thread.message(source) ?? { parts: [] });
}

const shownText = ({ parts }: ChatRequest["messages"][number]): string => visibleText({ parts });

/** The token counts of a request by kind of content. They add up to its tokens. */
export type RequestShares = Pick<
  RequestRow,
  "system" | "tools" | "pins" | "kept" | "cleared" | "summaries" | "pointers" | "rehydrated" | "overhead"
>;

/** Returns a rendering's own breakdown, with cleared messages counted separately from pointers. */
export function requestShares(breakdown: TokenBreakdown, clearedTokens: number): RequestShares {
  const { system, tools, pins, kept, summaries, pointers, rehydrated, overhead } = breakdown;
  return {
    ...{ system, tools, pins, kept, summaries, rehydrated, overhead },
    cleared: clearedTokens,
    pointers: pointers - clearedTokens,
  };
}
