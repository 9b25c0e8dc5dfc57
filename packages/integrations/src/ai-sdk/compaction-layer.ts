import { type CompletionModel, ThreadfoldError } from "@threadfold/core";
import {
  AI_SDK_RECENT_MESSAGES,
  AI_SDK_RESERVES,
  AI_SDK_SUMMARY_TITLE,
  AI_SDK_SUMMARY_TOKENS,
  compactionThreshold,
} from "@threadfold/strategies";
import { aiSdkPrompt } from "@threadfold/summarizers";
import type { ModelMessage } from "ai";

// The compaction layer as plain functions over message lists, for hosts that keep their own history.

/** When the layer compacts and what it keeps. Tokens are counted as by {@link estimateMessagesTokens}. */
export interface CompactionConfig {
  /** The model's context window in tokens, answer included. */
  readonly modelContextLimit: number;
  /** Tokens kept free for system text and tools. */
  readonly systemReserve: number;
  /** Tokens kept free for the answer. */
  readonly outputReserve: number;
  /** Tokens kept free as a margin for estimation error. */
  readonly safetyBuffer: number;
  /** Share of the remaining window, from 0 to 1, at which the layer compacts. */
  readonly thresholdPercent: number;
  /** Number of newest messages that stay unchanged. */
  readonly recentMessagesToKeep: number;
}

/** The layer's default settings: it compacts at 93 600 tokens. */
export const DEFAULT_CONFIG: CompactionConfig = Object.freeze({
  modelContextLimit: 128_000,
  ...AI_SDK_RESERVES,
  recentMessagesToKeep: AI_SDK_RECENT_MESSAGES,
});

/** Returns a quarter of the number of characters, rounded up; 0 for a value that is not a string. */
export function estimateTokens(text: string): number {
  return typeof text === "string" ? Math.ceil(text.length / 4) : 0;
}

/** Estimates the tokens of a message list: 2 for each role, plus those of its texts, calls and results. */
export function estimateMessagesTokens(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, { content }) => sum + 2 + estimateTokens(partsOf(content).map(textOf).join("")), 0);
}

/** Checks whether the list has more messages than are kept and has reached the threshold. */
export function shouldCompact(messages: readonly ModelMessage[], config: CompactionConfig = DEFAULT_CONFIG): boolean {
  if (messages.length <= config.recentMessagesToKeep + 1) return false;
  return estimateMessagesTokens(messages) >= compactionThreshold(config);
}

/** The messages of a list that are summarized and those that stay. */
export interface CompactionSelection {
  readonly messagesToCompact: readonly ModelMessage[];
  readonly messagesToKeep: readonly ModelMessage[];
  /** The summary of the previous round, which the new one incorporates. */
  readonly previousSummary: string | null;
}

/** Keeps a leading system message and the newest messages, never a tool result without its call. */
export function selectMessagesToCompact(
  messages: readonly ModelMessage[],
  keepLast: number = AI_SDK_RECENT_MESSAGES,
): CompactionSelection {
  const nothing = { messagesToCompact: [], messagesToKeep: messages, previousSummary: null };
  if (messages.length <= keepLast + 1) return nothing;
  const first = messages[0]?.role === "system" ? 1 : 0;
  const previousSummary = summaryIn(messages[first]);
  const from = previousSummary === null ? first : first + 1;
  let boundary = messages.length - keepLast;
  while (boundary > from && messages[boundary]?.role === "tool") boundary--;
  if (boundary <= from) return { ...nothing, previousSummary };
  return {
    messagesToCompact: messages.slice(from, boundary),
    messagesToKeep: [...messages.slice(0, first), ...messages.slice(boundary)],
    previousSummary,
  };
}

/**
 * Writes the summary of a round with the layer's prompt, at a temperature of 0.3 and in at most 1 000 tokens. Its first
 * line is the layer's title, by which the next round recognizes it.
 *
 * @param model writes the summary; `aiSdkModel` of the summarizers makes one from an AI SDK language model.
 * @throws ThreadfoldError `SUMMARIZER_FAILED` for an empty answer; what the model throws.
 */
export async function generateSummary(
  messagesToCompact: readonly ModelMessage[],
  previousSummary: string | null,
  originalTask: string,
  compactionRound: number,
  model: CompletionModel,
): Promise<string> {
  const { system, task, titles = {}, temperature } = aiSdkPrompt;
  const shown = messagesToCompact.map((message, index) => `[${index}] ${shownMessage(message)}`).join("\n\n---\n\n");
  const text = [
    `${titles.previous}\n${previousSummary ?? titles.noPrevious}`,
    `${titles.originalTask}\n${originalTask}`,
    `${titles.messages}\n${shown}`,
    inRound(task, compactionRound),
  ].join("\n\n");
  const answer = await model.complete({
    system,
    messages: [{ role: "user", text }],
    maxOutputTokens: AI_SDK_SUMMARY_TOKENS,
    temperature,
  });
  const said = answer.text.trim();
  if (said === "") throw new ThreadfoldError("SUMMARIZER_FAILED", `${model.id} returned no summary.`);
  const title = AI_SDK_SUMMARY_TITLE.replace("{round}", String(compactionRound));
  return said.startsWith("## Session Summary") ? said : `${title}\n${said}`;
}

/** The result of a compaction. */
export interface CompactionEvent {
  /** 0 when nothing was compacted. */
  readonly round: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly summaryContent: string;
  /** How many messages the summary covers, not counting the previous round's summary. */
  readonly compactedMessages: number;
}

/** Options of {@link compact}. */
export interface CompactOptions {
  /** The model that writes the summary. */
  readonly model: CompletionModel;
  /** When to compact and what to keep. {@link DEFAULT_CONFIG} by default. */
  readonly config?: CompactionConfig;
}

/**
 * Summarizes all but the newest messages of a list, one round per call. It calls the model whatever the size of the
 * list; to check the size first, use {@link shouldCompact}.
 *
 * @throws what {@link generateSummary} throws.
 */
export async function compact(
  messages: readonly ModelMessage[],
  { model, config = DEFAULT_CONFIG }: CompactOptions,
): Promise<{ readonly compactedMessages: readonly ModelMessage[]; readonly compactionEvent: CompactionEvent }> {
  const tokensBefore = estimateMessagesTokens(messages);
  const { messagesToCompact, messagesToKeep, previousSummary } = selectMessagesToCompact(
    messages,
    config.recentMessagesToKeep,
  );
  if (messagesToCompact.length === 0) {
    const nothing = { round: 0, tokensBefore, tokensAfter: tokensBefore, summaryContent: "", compactedMessages: 0 };
    return { compactedMessages: messages, compactionEvent: nothing };
  }
  const round = roundOf(previousSummary) + 1;
  const task = originalTask(previousSummary, messages);
  const summaryContent = await generateSummary(messagesToCompact, previousSummary, task, round, model);
  const system = messagesToKeep[0]?.role === "system" ? 1 : 0;
  const compactedMessages: readonly ModelMessage[] = [
    ...messagesToKeep.slice(0, system),
    { role: "assistant", content: summaryContent },
    ...messagesToKeep.slice(system),
  ];
  const tokensAfter = estimateMessagesTokens(compactedMessages);
  return {
    compactedMessages,
    compactionEvent: { round, tokensBefore, tokensAfter, summaryContent, compactedMessages: messagesToCompact.length },
  };
}

/**
 * Like {@link compact}, but returns the list unchanged when something fails, so that compaction never fails the agent.
 */
export async function safeCompact(
  messages: readonly ModelMessage[],
  options: CompactOptions & {
    /** Stores the event. When it throws, the list is returned unchanged as well. */
    readonly onCompaction?: (event: CompactionEvent) => unknown;
    readonly onError?: (error: unknown) => void;
  },
): Promise<readonly ModelMessage[]> {
  try {
    const { compactedMessages, compactionEvent } = await compact(messages, options);
    if (compactionEvent.round > 0) await options.onCompaction?.(compactionEvent);
    return compactedMessages;
  } catch (error) {
    options.onError?.(error);
    return messages;
  }
}

/** How much of a tool result and of a message the model is shown, in UTF-16 code units. */
const SHOWN_OF_RESULT = 500;
const SHOWN_OF_MESSAGE = 2_000;

type Part = Exclude<ModelMessage["content"], string>[number];

const partsOf = (content: ModelMessage["content"]): readonly Part[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;

function textOf(part: Part): string {
  if (part.type === "text") return part.text;
  if (part.type === "tool-call") return `${part.toolName}${JSON.stringify(part.input) ?? ""}`;
  return part.type === "tool-result" ? JSON.stringify(part.output) : "";
}

function shownMessage({ role, content }: ModelMessage): string {
  const text = partsOf(content).map((part) => {
    if (part.type === "tool-call") return `[Tool: ${part.toolName}(${JSON.stringify(part.input) ?? ""})]`;
    return part.type === "tool-result" ? `[Result: ${cut(textOf(part), SHOWN_OF_RESULT, "...")}]` : textOf(part);
  });
  return `${role.toUpperCase()}:\n${cut(text.join("\n"), SHOWN_OF_MESSAGE, "\n[...truncated...]")}`;
}

const cut = (text: string, length: number, mark: string): string =>
  text.length <= length ? text : `${text.slice(0, length).toWellFormed()}${mark}`;

const inRound = (task: string, round: number): string => task.replaceAll("{compactionRound}", String(round));

function summaryIn(message: ModelMessage | undefined): string | null {
  if (message?.role !== "assistant") return null;
  const text = partsOf(message.content).map(textOf).join("");
  return text.startsWith("## Session Summary") ? text : null;
}

const roundOf = (summary: string | null): number => Number(/Round (\d+)\)/.exec(summary ?? "")?.[1] ?? 0);

/** The first user message; when there is a previous summary, a reference to that summary, which already contains it. */
function originalTask(previousSummary: string | null, messages: readonly ModelMessage[]): string {
  if (previousSummary !== null) return "As the previous summary has it.";
  const first = messages.find(({ role }) => role === "user");
  return first === undefined ? "Unknown task" : partsOf(first.content).map(textOf).join("\n");
}
