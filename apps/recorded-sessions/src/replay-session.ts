import { type ChatRequest, canonicalJson } from "@threadfold/core";
import { breakpointPlaces } from "@threadfold/renderer";
import {
  ContextSession,
  type ImportedSession,
  type JsonObject,
  type MessageInput,
  type PreparedRequest,
  type ProviderFormat,
  type ToolDefinition,
} from "threadfold";

/**
 * Replays a recorded session message by message, and yields the request before each of the agent's answers and at the
 * end. The host declares every tool from the beginning, as it would have, and asks for cache breakpoints.
 *
 * @param model name of the model that the requests are for.
 */
export async function* replaySession(
  imported: ImportedSession,
  format: ProviderFormat,
  maxInputTokens: number,
  model?: string,
): AsyncGenerator<PreparedRequest> {
  const session = await ContextSession.open({
    threadId: imported.threadId,
    config: { maxInputTokens },
    format,
    ...(model !== undefined && { model }),
    frame: { system: imported.system, tools: everyTool(imported) },
    cacheBreakpoints: true,
    clock: { now: () => Date.UTC(2026, 0, 1) },
    journal: false,
    onOverBudget: "send",
  });
  const open = openCalls(imported.messages);
  let before: MessageInput | undefined;
  for (const [index, message] of imported.messages.entries()) {
    const isAnswer = asksForAnswer(before) && message.role === "assistant" && message.branch === undefined;
    if (isAnswer && open[index] === 0) yield await session.prepare();
    await session.append([message]);
    if (message.branch === undefined) before = message;
  }
  yield await session.prepare();
}

/**
 * Returns, for each message, the number of calls still running before it: calls whose results come later. No model is
 * asked meanwhile; some tools log one answer of the model in parts, result by result.
 */
function openCalls(messages: readonly MessageInput[]): readonly number[] {
  const answeredAt = new Map(
    messages.flatMap(({ parts }, index) =>
      parts.flatMap((part) => (part.type === "tool-result" ? [[part.result.callId, index] as const] : [])),
    ),
  );
  const running = new Map<string, number>();
  return messages.map(({ parts }, index) => {
    for (const [id, end] of running) if (end < index) running.delete(id);
    const open = running.size;
    for (const part of parts) {
      const end = part.type === "tool-call" ? answeredAt.get(part.callId) : undefined;
      if (part.type === "tool-call" && end !== undefined && end > index) running.set(part.callId, end);
    }
    return open;
  });
}

/** A model answers a user or its tools; two consecutive messages from the model are one answer. */
const asksForAnswer = (message: MessageInput | undefined): boolean =>
  message?.role === "user" || message?.role === "tool";

function everyTool({ tools, messages }: ImportedSession): readonly ToolDefinition[] {
  const declared = new Set(tools.map(({ name }) => name));
  const called = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool-call" && !declared.has(part.toolName) ? [part.toolName] : [])),
  );
  return [...tools, ...[...new Set(called)].map((name) => ({ name, inputSchema: { type: "object" } }))];
}

/** Formats whose payload joins consecutive messages of one side: the last message of a list may still grow. */
const JOINING: readonly string[] = ["anthropic-messages", "gemini"];

/** Not a provider's limits: the newest stable message is wanted, wherever it is. */
const NO_LIMITS = { most: 1, lookBackBlocks: Number.POSITIVE_INFINITY } as const;

/** A payload as seen by a prompt cache. */
export interface CachedPart {
  /** System text, tools and whatever else is not in the list of messages. */
  readonly frame: string;
  /** The list of messages. */
  readonly list: string;
  /** The cached beginning of `list`: up to the newest message that will not change. */
  readonly cached: string;
}

/** Returns the bytes of a payload in canonical JSON, cut where its cached prefix ends. */
export function cachedPart(format: ProviderFormat, request: ChatRequest, payload: JsonObject): CachedPart {
  const { [format.messagesField]: items, ...frame } = payload;
  const { messages } = breakpointPlaces({ ...request, system: [], tools: [] }, NO_LIMITS);
  const stable = request.messages.slice(0, (messages.at(-1) ?? -1) + 1);
  const lowered = format.lower({ ...request, messages: stable }).payload[format.messagesField];
  return {
    frame: canonicalJson(frame),
    list: canonicalJson(items),
    cached: withoutEnd(canonicalJson(lowered), JOINING.includes(format.id)),
  };
}

/** Removes the brackets from the end of a list that a longer list would not have there. */
const withoutEnd = (list: string, isJoined: boolean): string =>
  isJoined ? list.replace(/(?:\],"role":"[a-z]+"\})?\]$/, "") : list.slice(0, -1);
