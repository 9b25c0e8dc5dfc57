import type { McpServer } from "@modelcontextprotocol/server";
import { type AgentThread, type PlanRecord, planRecords, spanEnd, spanStart } from "@threadfold/core";
import { z } from "zod";
import type { ServerHost } from "./server-host.ts";
import { ToolFailure, toolResult } from "./tool-failure.ts";
import { cursorPlace, nextCursorField, READ_ONLY, threadIdField } from "./tool-shape.ts";

/** The name of the tool. */
export const LIST_FOLDED_TOOL_NAME = "list_folded";

const CURSOR_PREFIX = "after-";
const DEFAULT_LIMIT = 20;
const MOST_ON_A_PAGE = 100;

const inputSchema = z.object({
  action: z.enum(["summarize", "externalize", "clear", "drop"]).optional().describe("Only folds of this kind."),
  limit: z.int().min(1).max(MOST_ON_A_PAGE).default(DEFAULT_LIMIT).describe("Folds on a page."),
  cursor: z.string().max(64).optional().describe("next_cursor of the page before, with the same action."),
  thread_id: threadIdField,
});

const foldSchema = z.object({
  action: z.string(),
  strategy: z.string(),
  reason: z.string(),
  since_plan_version: z.int(),
  messages: z.int(),
  first_message_id: z.string(),
  last_message_id: z.string(),
  first_turn: z.int(),
  last_turn: z.int(),
  original_tokens: z.number(),
  artifact_id: z.string().optional(),
  keywords: z.array(z.string()).optional(),
});

const outputSchema = z.object({
  thread_id: z.string(),
  plan_version: z.int(),
  folds: z.array(foldSchema),
  total: z.int().describe("Folds on all pages together."),
  next_cursor: nextCursorField,
});

type Fold = z.infer<typeof foldSchema>;

/** `list_folded`: what the prompt no longer shows in full, in the order of the thread, with what each fold was about. */
export function registerListFolded(server: McpServer, host: ServerHost): void {
  const config = {
    title: "List folded content",
    description:
      "List what was folded away from this conversation, in its order: which messages, how, why and since when. Read one with read_artifact or search_thread.",
    inputSchema,
    outputSchema,
    annotations: READ_ONLY,
  };
  server.registerTool(LIST_FOLDED_TOOL_NAME, config, ({ action, limit, cursor, thread_id }) =>
    toolResult(
      LIST_FOLDED_TOOL_NAME,
      async () => {
        const { thread, plan } = await host.archive.thread(thread_id);
        const start = cursorPlace(cursor, CURSOR_PREFIX);
        if (start === null) {
          throw new ToolFailure(
            "invalid-input",
            "The cursor is not one that this list gave; leave it out for the first page.",
          );
        }
        const records = planRecords(plan)
          .filter((record) => action === undefined || record.action === action)
          .sort((a, b) => ordinalOf(thread, a) - ordinalOf(thread, b));
        const folds = records.slice(start, start + limit).map(foldOf);
        const end = start + folds.length;
        const next_cursor = end < records.length ? `${CURSOR_PREFIX}${end}` : null;
        const found = { thread_id: thread.id, plan_version: plan.version, folds, total: records.length, next_cursor };
        return { content: [{ type: "text", text: textOf(found) }], structuredContent: found };
      },
      host,
    ),
  );
}

const ordinalOf = (thread: AgentThread, { span }: PlanRecord): number =>
  thread.message(spanStart(span))?.ordinal ?? thread.length;

function foldOf(record: PlanRecord): Fold {
  const { action, strategy, reason, sincePlanVersion, span, originalTokens } = record;
  return {
    action,
    strategy,
    reason,
    since_plan_version: sincePlanVersion,
    messages: span.messageIds.length,
    first_message_id: spanStart(span),
    last_message_id: spanEnd(span),
    first_turn: span.firstTurn,
    last_turn: span.lastTurn,
    original_tokens: originalTokens,
    ...(record.action === "externalize" && { artifact_id: record.artifactId }),
    ...(record.action === "drop" && { keywords: [...record.keywords] }),
  };
}

function textOf({ folds, total, plan_version, next_cursor }: z.infer<typeof outputSchema>): string {
  if (total === 0) return "Nothing is folded; the prompt shows all of this conversation.";
  const heading = `Plan ${plan_version} has ${total} ${total === 1 ? "fold" : "folds"}; ${folds.length} on this page.`;
  const lines = folds.map((fold) => {
    const turns =
      fold.first_turn === fold.last_turn ? `turn ${fold.first_turn}` : `turns ${fold.first_turn} to ${fold.last_turn}`;
    const where =
      fold.messages === 1
        ? fold.first_message_id
        : `${fold.first_message_id} to ${fold.last_message_id} (${fold.messages} messages)`;
    const artifact = fold.artifact_id === undefined ? "" : `, ${fold.artifact_id}`;
    const about =
      fold.keywords === undefined || fold.keywords.length === 0 ? "" : `, about ${fold.keywords.join(", ")}`;
    return `- ${fold.action} ${where}, ${turns}, ${fold.original_tokens} tokens${artifact}${about}`;
  });
  const more = next_cursor === null ? [] : [`Call list_folded with cursor ${next_cursor} for more.`];
  return [heading, ...lines, ...more].join("\n");
}
