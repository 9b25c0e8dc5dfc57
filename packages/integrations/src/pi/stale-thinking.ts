import type { ContextEvent, ContextEventResult, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { capabilitiesOf } from "@threadfold/renderer";

type Messages = ContextEvent["messages"];

/**
 * Handler for pi's `context`: removes the thinking from turns that pi kept after a compaction. What a model thought
 * before a compaction followed a different prompt, and models that bind thinking to what precedes it would refuse the
 * request ("The block is bound to a different conversation"). Thinking from after the compaction is kept, and for other
 * models everything is. pi's log stays unchanged.
 */
export function withoutStaleThinking({ messages }: ContextEvent, { model }: ExtensionContext): ContextEventResult {
  const compaction = messages.findLast(({ role }) => role === "compactionSummary");
  if (compaction === undefined || model === undefined || !bindsThinking(model)) return {};
  return { messages: messages.flatMap((message) => unlessStale(message, compaction.timestamp)) };
}

/** An unlisted model is assumed to bind its thinking. */
const bindsThinking = ({ api, id }: NonNullable<ExtensionContext["model"]>): boolean =>
  api === "anthropic-messages" && (capabilitiesOf(id)?.reasoning ?? "prefix-bound") === "prefix-bound";

function unlessStale(message: Messages[number], compactedAt: number): Messages {
  if (message.role !== "assistant" || message.timestamp >= compactedAt) return [message];
  const content = message.content.filter(({ type }) => type !== "thinking");
  if (content.length === message.content.length) return [message];
  return content.length === 0 ? [] : [{ ...message, content }];
}
