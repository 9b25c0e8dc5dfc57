import {
  ContextSession,
  type ImportedSession,
  type MessageInput,
  type PreparedRequest,
  type ProviderFormat,
  type ToolDefinition,
} from "threadfold";

/**
 * Lets an agent say a recorded session again, message by message, and gives the request before each of its answers and at
 * the end. The host declares every tool from the beginning, as it would have, and asks for cache breakpoints.
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

/** Before each message, how many calls still run: their results come later. Nobody asks a model meanwhile; some tools log what it said in one answer result by result. */
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

/** A model answers a user or its tools; two messages in a row from the model are one answer. */
const asksForAnswer = (message: MessageInput | undefined): boolean =>
  message?.role === "user" || message?.role === "tool";

function everyTool({ tools, messages }: ImportedSession): readonly ToolDefinition[] {
  const declared = new Set(tools.map(({ name }) => name));
  const called = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool-call" && !declared.has(part.toolName) ? [part.toolName] : [])),
  );
  return [...tools, ...[...new Set(called)].map((name) => ({ name, inputSchema: { type: "object" } }))];
}
