import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { actionOf } from "@threadfold/core";
import {
  recall,
  SEARCH_THREAD_DEFINITION,
  SEARCH_THREAD_TOOL_NAME,
  type SearchThreadSources,
  searchThreadTool,
  withheldMessages,
} from "@threadfold/rehydration";
import { z } from "zod";
import type { ServerHost } from "./thread-archive.ts";
import {
  cursorPlace,
  maxTokensField,
  nextCursorField,
  READ_ONLY,
  ToolFailure,
  threadIdField,
  toolResult,
} from "./tool-call.ts";

const CURSOR_PREFIX = "page-";

const inputSchema = z.object({
  query: z
    .string()
    .trim()
    .min(1)
    .max(65_536)
    .optional()
    .describe("Names, paths, error codes or other words, in any order. Rare words count most."),
  cursor: z.string().max(64).optional().describe("next_cursor of the page before, with the same query."),
  message_id: z.string().min(1).max(512).optional().describe("Id of a message to read, or its number as in #12."),
  offset: z.int().nonnegative().default(0).describe("With message_id: characters to skip."),
  max_tokens: maxTokensField,
  thread_id: threadIdField,
});

const hitSchema = z.object({
  message_id: z.string(),
  number: z.int().describe("Place of the message in the thread, from 0."),
  turn: z.int(),
  step: z.int(),
  role: z.string(),
  tool_name: z.string().optional(),
  action: z.string().describe("What the prompt does with the message."),
  start: z.int(),
  end: z.int(),
  length: z.int(),
});

const outputSchema = z.object({
  thread_id: z.string(),
  text: z.string().describe("The page as text: passages word for word, with where they come from."),
  hits: z.array(hitSchema),
  names: z.array(z.string()).describe("Names in further messages that match."),
  total: z.int().describe("Passages found on all pages together."),
  next_cursor: nextCursorField,
});

type SearchCall = z.infer<typeof inputSchema>;

/** Registers `search_thread`, which finds folded or dropped content, page by page, with its origin. */
export function registerSearchThread(server: McpServer, host: ServerHost): void {
  const { description } = SEARCH_THREAD_DEFINITION;
  const config = { title: "Search thread", description, inputSchema, outputSchema, annotations: READ_ONLY };
  server.registerTool(SEARCH_THREAD_TOOL_NAME, config, (call) =>
    toolResult(
      SEARCH_THREAD_TOOL_NAME,
      async () => {
        const served = await host.archive.thread(call.thread_id);
        const counting = { countTokens: host.countTokens, maxTokens: call.max_tokens ?? host.maxTokens };
        const sources = host.archive.searchSources(served, counting);
        return call.message_id === undefined ? search(sources, call) : read(sources, call);
      },
      host,
    ),
  );
}

async function search(sources: SearchThreadSources, { query, cursor }: SearchCall): Promise<CallToolResult> {
  if (query === undefined)
    throw new ToolFailure("invalid-input", "Give query, some words to search for, or message_id.");
  const before = cursorPlace(cursor, CURSOR_PREFIX);
  if (before === null) {
    throw new ToolFailure(
      "invalid-input",
      "The cursor is not one that this search gave; leave it out for the first page.",
    );
  }
  const { thread, plan, artifacts, requester, branch } = sources;
  const except = await withheldMessages(plan, artifacts, requester);
  const page = Math.max(1, before);
  const found = await recall(sources, { text: query, page, except, ...(branch !== undefined && { branch }) });
  const hits = found.hits.map(({ messageId, ordinal, turn, step, role, toolName, start, end, length }) => ({
    message_id: messageId,
    number: ordinal,
    turn,
    step,
    role,
    ...(toolName !== undefined && { tool_name: toolName }),
    action: actionOf(plan, messageId).action,
    start,
    end,
    length,
  }));
  const next_cursor = page < found.pages ? `${CURSOR_PREFIX}${page + 1}` : null;
  const { text, names, total } = found;
  return textResult({ thread_id: thread.id, text, hits, names: [...names], total, next_cursor });
}

/** Reads one message, with the same limits and wording as the session's own tool. */
async function read(sources: SearchThreadSources, { message_id, offset }: SearchCall): Promise<CallToolResult> {
  const { text, outcome } = await searchThreadTool(() => sources).execute({ message_id: message_id ?? "", offset });
  if (outcome !== "success") {
    throw new ToolFailure("not-found", `${text} Ids and numbers are in the results of a search.`);
  }
  return textResult({ thread_id: sources.thread.id, text, hits: [], names: [], total: 0, next_cursor: null });
}

const textResult = (found: z.infer<typeof outputSchema>): CallToolResult => ({
  content: [{ type: "text", text: found.text }],
  structuredContent: found,
});
