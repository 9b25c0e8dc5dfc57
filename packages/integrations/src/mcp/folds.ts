import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import {
  type AgentThread,
  asMessageId,
  type Explanation,
  explainMessage,
  isBranchVisible,
  type Message,
  type PlanRecord,
  planRecords,
  type Recovery,
  spanEnd,
  spanStart,
} from "@threadfold/core";
import { z } from "zod";
import type { ServedThread, ServerHost } from "./thread-archive.ts";
import { cursorPlace, nextCursorField, READ_ONLY, ToolFailure, threadIdField, toolResult } from "./tool-call.ts";

/** The name of the tool that explains a message. */
export const EXPLAIN_TOOL_NAME = "explain";

/** Maximum number of other messages' ids that an explanation lists; the rest are only counted. */
const MOST_COMPANIONS = 50;

const explainInput = z.object({
  message_id: z.string().min(1).max(512).describe("Id of the message, or its number in the thread as in #12."),
  thread_id: threadIdField,
});

const explainOutput = z.object({
  message_id: z.string(),
  number: z.int().describe("Place of the message in the thread, from 0."),
  turn: z.int(),
  step: z.int(),
  role: z.string(),
  action: z.string().describe("include, clear, summarize, externalize, drop or hidden-branch."),
  plan_version: z.int(),
  since_plan_version: z.int().nullable(),
  strategy: z.string().nullable(),
  reason: z.string(),
  folded_with: z.array(z.string()).describe(`The messages folded together with it, ${MOST_COMPANIONS} at the most.`),
  folded_with_total: z.int(),
  recovery: z.array(
    z.discriminatedUnion("tool", [
      z.object({ tool: z.literal("search_thread"), message_id: z.string() }),
      z.object({ tool: z.literal("read_artifact"), artifact_id: z.string() }),
    ]),
  ),
});

/**
 * Registers `explain`, which says why a message is, or is not, in the prompt, since when, and which call retrieves it.
 */
export function registerExplain(server: McpServer, host: ServerHost): void {
  const config = {
    title: "Explain a message",
    description:
      "Say why a message of this conversation is, or is not, in the prompt: what folded it, when and why, and which call gets it back.",
    inputSchema: explainInput,
    outputSchema: explainOutput,
    annotations: READ_ONLY,
  };
  server.registerTool(EXPLAIN_TOOL_NAME, config, (call) =>
    toolResult(
      EXPLAIN_TOOL_NAME,
      async () => {
        const served = await host.archive.thread(call.thread_id);
        const message = messageOf(served, call.message_id, host.archive.branch);
        const explanation = explainMessage(served.thread, served.plan, message.id);
        return explanationResult(explanation, message, await ways(explanation, host));
      },
      host,
    ),
  );
}

function messageOf({ thread }: ServedThread, named: string, branch: string | undefined): Message {
  const [, ordinal] = /^#(\d{1,15})$/.exec(named) ?? [];
  const message =
    thread.message(asMessageId(named)) ?? (ordinal === undefined ? undefined : thread.messageAt(Number(ordinal)));
  if (message !== undefined && isBranchVisible(message.branch, branch)) return message;
  throw new ToolFailure(
    "not-found",
    "There is no such message, or it may not be read. Ids and numbers are in the results of search_thread and list_folded.",
  );
}

type RecoveryCall = z.infer<typeof explainOutput>["recovery"][number];

/** The calls that can retrieve the message now; none when its artifact has expired or may not be read. */
async function ways({ recovery }: Explanation, { archive }: ServerHost): Promise<readonly RecoveryCall[]> {
  const artifact = recovery.find((way): way is Extract<Recovery, { from: "artifact" }> => way.from === "artifact");
  if (artifact !== undefined && !(await archive.isReadable(artifact.artifactId))) return [];
  return recovery.map((way) =>
    way.from === "artifact"
      ? { tool: "read_artifact", artifact_id: way.artifactId }
      : { tool: "search_thread", message_id: way.messageId },
  );
}

function explanationResult(
  explanation: Explanation,
  { role }: Message,
  recovery: readonly RecoveryCall[],
): CallToolResult {
  const { messageId, ordinal, turn, step, action, planVersion, sincePlanVersion, strategy, reason, foldedWith } =
    explanation;
  const since = sincePlanVersion === null ? "" : ` since plan ${sincePlanVersion}, by ${strategy}`;
  const company = foldedWith.length > 1 ? `, together with ${foldedWith.length - 1} other messages` : "";
  const back = recovery.map((way) =>
    way.tool === "read_artifact"
      ? `read_artifact with artifact_id ${way.artifact_id}`
      : `search_thread with message_id ${way.message_id}`,
  );
  const text = [
    `Message #${ordinal} (${role}, turn ${turn}, step ${step}): ${action}${since}${company}.`,
    reason,
    back.length === 0 ? "Its content cannot be read." : `Get it back: ${back.join(", or ")}.`,
  ].join("\n");
  return {
    content: [{ type: "text", text }],
    structuredContent: {
      message_id: messageId,
      number: ordinal,
      turn,
      step,
      role,
      action,
      plan_version: planVersion,
      since_plan_version: sincePlanVersion,
      strategy,
      reason,
      folded_with: foldedWith.slice(0, MOST_COMPANIONS),
      folded_with_total: foldedWith.length,
      recovery: [...recovery],
    },
  };
}

/** The name of the tool that lists what is folded. */
export const LIST_FOLDED_TOOL_NAME = "list_folded";

const CURSOR_PREFIX = "after-";
const DEFAULT_LIMIT = 20;
const MOST_ON_A_PAGE = 100;

const listInput = z.object({
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

const listOutput = z.object({
  thread_id: z.string(),
  plan_version: z.int(),
  folds: z.array(foldSchema),
  total: z.int().describe("Folds on all pages together."),
  next_cursor: nextCursorField,
});

type Fold = z.infer<typeof foldSchema>;

/**
 * Registers `list_folded`, which lists what the prompt no longer shows in full, in thread order, with the topic of each
 * fold.
 */
export function registerListFolded(server: McpServer, host: ServerHost): void {
  const config = {
    title: "List folded content",
    description:
      "List what was folded away from this conversation, in its order: which messages, how, why and since when. Read one with read_artifact or search_thread.",
    inputSchema: listInput,
    outputSchema: listOutput,
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

function textOf({ folds, total, plan_version, next_cursor }: z.infer<typeof listOutput>): string {
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
