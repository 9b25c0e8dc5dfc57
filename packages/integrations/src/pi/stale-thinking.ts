import type { ContextEvent, ContextEventResult, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { capabilitiesOf } from "@threadfold/renderer";

type Messages = ContextEvent["messages"];

/**
 * Handler for pi's `context`: takes the thinking out of turns that pi kept behind a compaction. What a model thought before
 * a compaction was thought behind another prompt, and models that bind thinking to what stands before it refuse the request
 * otherwise ("The block is bound to a different conversation"). What they think from the compaction on stays, and other
 * models keep everything. pi's log stays as it is.
 */
export function withoutStaleThinking({ messages }: ContextEvent, { model }: ExtensionContext): ContextEventResult {
  const compaction = messages.findLast(({ role }) => role === "compactionSummary");
  if (compaction === undefined || model === undefined || !bindsThinking(model)) return {};
  return { messages: messages.flatMap((message) => unlessStale(message, compaction.timestamp)) };
}

/** A model that no row names may be one that does. */
const bindsThinking = ({ api, id }: NonNullable<ExtensionContext["model"]>): boolean =>
  api === "anthropic-messages" && (capabilitiesOf(id)?.reasoning ?? "prefix-bound") === "prefix-bound";

function unlessStale(message: Messages[number], compactedAt: number): Messages {
  if (message.role !== "assistant" || message.timestamp >= compactedAt) return [message];
  const content = message.content.filter(({ type }) => type !== "thinking");
  if (content.length === message.content.length) return [message];
  return content.length === 0 ? [] : [{ ...message, content }];
}
