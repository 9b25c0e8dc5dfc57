import {
  type ArtifactStore,
  asMessageId,
  isBranchVisible,
  type JsonValue,
  type Message,
  type MessageId,
  SEARCH_THREAD_TOOL_NAME,
  type SecurityContext,
  type ToolDefinition,
  type ToolOutcomeStatus,
  visibleText,
} from "@threadfold/core";
import { textPage, truncateToTokens } from "../artifacts/text-page.ts";
import { recall } from "./recall-result.ts";
import { type RecallSources, withheldMessages } from "./recall-sources.ts";

/**
 * The default limit of one result, in tokens of the host's counter: the same as the default total budget of
 * rehydration.
 */
export const DEFAULT_RECALL_TOKENS = 8_000;
/**
 * The share of a window that the results of the search by words may take. Together with the entries near in meaning,
 * which have their own share on top, it stays below 15 %.
 */
const WINDOW_SHARE = 0.14;
/** The lowest limit, in tokens: with less, only the frame of a result would fit. */
const LEAST_TOKENS = 400;

/** Returns the token limit of one result for a window of this size: 14 % of it, at least 400 and at most 8,000. */
export function recallTokens(windowTokens: number): number {
  return Math.min(DEFAULT_RECALL_TOKENS, Math.max(LEAST_TOKENS, Math.floor(windowTokens * WINDOW_SHARE)));
}

/** The definition of the `search_thread` tool for the model. */
export const SEARCH_THREAD_DEFINITION: ToolDefinition = Object.freeze({
  name: SEARCH_THREAD_TOOL_NAME,
  description:
    "Search the earlier part of this conversation that was folded away: messages, tool calls and tool results that you no longer see in full. Returns the best matching passages with their origin, and the names in other matching messages. Give `query` to search, or `message_id` to read one message in full.",
  inputSchema: {
    type: "object",
    properties: {
      query: {
        type: "string",
        description: "Names, paths, error codes or other words, in any order. Rare words count most.",
      },
      page: { type: "integer", minimum: 1, description: "Page of the result. 1 by default." },
      message_id: { type: "string", description: "Id of a message to read, or its number as in #12." },
      offset: { type: "integer", minimum: 0, description: "With message_id: characters to skip. 0 by default." },
    },
    additionalProperties: false,
  },
});

/** The result of a `search_thread` call. `text` is what the model reads, also when there is a problem. */
export interface SearchThreadResult {
  readonly outcome: ToolOutcomeStatus;
  readonly text: string;
  /** Why nothing was found or read; null when something was. */
  readonly problem: "invalid-input" | "not-found" | "no-match" | null;
}

/** The tool definition for the model, and the function that executes a call. */
export interface SearchThreadTool {
  readonly definition: ToolDefinition;
  execute(input: JsonValue): Promise<SearchThreadResult>;
}

/** What the tool searches when it is called, for whom, and on which branch the agent is. */
export interface SearchThreadSources extends RecallSources {
  /** Decides which externalized content the requester may read; the rest is not found. */
  readonly artifacts: ArtifactStore;
  readonly requester?: SecurityContext;
  readonly branch?: string;
}

/** The number of characters of a message that one page of reading shows, in UTF-16 code units. */
const READ_PAGE = 8_000;

/**
 * Returns the `search_thread` tool, with which the model itself can read what was folded or dropped, page by page and
 * with provenance, on the branches that the agent's branch may see (C7). Words found and messages read take at most
 * `maxTokens` per result.
 *
 * @param sources called at each tool call; returns the current thread and plan.
 */
export function searchThreadTool(sources: () => SearchThreadSources): SearchThreadTool {
  return Object.freeze({
    definition: SEARCH_THREAD_DEFINITION,
    execute: async (input: JsonValue): Promise<SearchThreadResult> => {
      const call = callOf(input);
      if ("problem" in call) return call;
      const place = sources();
      const withheld = await withheldMessages(place.plan, place.artifacts, place.requester);
      return "query" in call ? search(place, call, withheld) : readMessage(place, call, withheld);
    },
  });
}

interface SearchCall {
  readonly query: string;
  readonly page: number;
}

interface ReadCall {
  readonly messageId: string;
  readonly offset: number;
}

function callOf(input: JsonValue): SearchCall | ReadCall | SearchThreadResult {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return invalid("The input is not an object.");
  const {
    query,
    page = 1,
    message_id: messageId,
    offset = 0,
  } = input as Readonly<Record<string, JsonValue | undefined>>;
  if (messageId !== undefined) {
    if (typeof messageId !== "string" || messageId === "") return invalid("message_id is not the id of a message.");
    return isCount(offset, 0) ? { messageId, offset } : invalid("offset is not a whole number of at least 0.");
  }
  if (typeof query !== "string" || query.trim() === "")
    return invalid("Give query, some words to search for, or message_id.");
  return isCount(page, 1) ? { query, page } : invalid("page is not a whole number of at least 1.");
}

const isCount = (value: JsonValue, least: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= least;

async function search(
  sources: SearchThreadSources,
  { query, page }: SearchCall,
  except: readonly MessageId[],
): Promise<SearchThreadResult> {
  const ask = { text: query, page, except, ...(sources.branch !== undefined && { branch: sources.branch }) };
  const { text, hits, names, near } = await recall(sources, ask);
  const isEmpty = hits.length + names.length + near.length === 0;
  return { outcome: "success", text, problem: isEmpty ? "no-match" : null };
}

function readMessage(
  sources: SearchThreadSources,
  { messageId, offset }: ReadCall,
  withheld: readonly MessageId[],
): SearchThreadResult {
  const message = messageOf(sources, messageId);
  if (message === undefined || withheld.includes(message.id) || !isBranchVisible(message.branch, sources.branch)) {
    return failure("not-found", `There is no message ${shortened(messageId)} that you may read.`);
  }
  const content = visibleText(message);
  const page = textPage(content, offset, READ_PAGE);
  if (page === null) {
    return failure(
      "not-found",
      `${message.id} has ${content.length} characters; there is nothing at offset ${offset}.`,
    );
  }
  const marker = (shown: number): string => {
    const next = page.start + shown;
    const more = next < content.length ? `call search_thread with offset ${next} for more` : "this is the end";
    return `\n[${message.id}: characters ${page.start} to ${next} of ${content.length}; ${more}]`;
  };
  const room = sources.maxTokens - sources.countTokens(marker(content.length));
  const cut = truncateToTokens(page.text, room, sources.countTokens, () => "");
  const shown = cut?.text ?? "";
  return { outcome: "success", text: `${shown}${marker(shown.length)}`, problem: null };
}

/** How much of an unknown id is repeated to the model, in UTF-16 code units. */
const LONGEST_NAMED = 100;

/** Shortens the id of a call, which may have any length and may not even be well-formed text. */
const shortened = (id: string): string =>
  (id.length > LONGEST_NAMED ? `${id.slice(0, LONGEST_NAMED)} …` : id).toWellFormed();

function messageOf({ thread }: SearchThreadSources, messageId: string): Message | undefined {
  const [, ordinal] = /^#(\d{1,15})$/.exec(messageId) ?? [];
  return (
    thread.message(asMessageId(messageId)) ?? (ordinal === undefined ? undefined : thread.messageAt(Number(ordinal)))
  );
}

const invalid = (text: string): SearchThreadResult => failure("invalid-input", text);

const failure = (problem: NonNullable<SearchThreadResult["problem"]>, text: string): SearchThreadResult => ({
  outcome: "failure",
  text,
  problem,
});
