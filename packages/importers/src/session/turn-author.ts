import type { MessageOrigin, Part } from "@threadfold/core";

/**
 * How texts begin with which agents hand a summary of the conversation to their next model call, in the role of the
 * user. In a request nothing else tells them from what a person typed.
 *
 * @see https://github.com/openai/codex/blob/main/codex-rs/core/templates/compact/summary_prefix.md
 * @see https://github.com/badlogic/pi-mono/blob/main/packages/coding-agent/src/core/messages.ts
 * @see https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/core/prompts.ts
 * @see https://github.com/langchain-ai/langchain/blob/master/libs/langchain_v1/langchain/agents/middleware/summarization.py
 */
const SUMMARY =
  /^\s*(?:This session is being continued from a previous conversation|Another language model (?:started to solve this problem|worked on this task) and produced a summary|The conversation history before this point was compacted into|Here is a summary of the conversation to date:|You are in the middle of a conversation that has been summarized|<(?:state_snapshot|conversation-summary)>)/;

/**
 * Texts that Claude Code and Codex add as a whole. A person may well write in tags: only names that nobody else uses
 * are here, and nothing may follow the closing tag.
 */
const NOTICE =
  /^\s*(?:\[Request interrupted by user(?: for tool use)?\]|# AGENTS\.md instructions for [\s\S]*|<(system-reminder|local-command-(?:stdout|stderr|caveat)|bash-std(?:out|err)|task-notification|environment_context|turn_aborted|user_shell_command|subagent_notification)>[\s\S]*<\/\1>)\s*$/;

const isSummary = (part: Part): boolean => part.type === "text" && SUMMARY.test(part.text);
const isNotice = (part: Part): boolean => part.type === "text" && NOTICE.test(part.text);

/**
 * Who wrote a user turn, as its words tell: undefined for a person, also where a program added something. For turns
 * whose log does not say it.
 */
export function turnAuthor(parts: readonly Part[]): MessageOrigin | undefined {
  if (parts.length === 0 || !parts.every((part) => isSummary(part) || isNotice(part))) return undefined;
  return parts.some(isSummary) ? "compaction" : "harness";
}

/** Divides a user turn into the summary that it opens with and what a person typed after it; null if it is not both. */
export function afterSummary(
  parts: readonly Part[],
): { readonly summary: readonly Part[]; readonly typed: readonly Part[] } | null {
  const at = parts.findIndex((part) => !(isSummary(part) || isNotice(part)));
  const [summary, typed] = [parts.slice(0, at), parts.slice(at)];
  return at > 0 && turnAuthor(summary) === "compaction" ? { summary, typed } : null;
}
