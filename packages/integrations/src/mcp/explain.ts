import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import {
  asMessageId,
  type Explanation,
  explainMessage,
  isBranchVisible,
  type Message,
  type Recovery,
} from "@threadfold/core";
import { z } from "zod";
import type { ServerHost } from "./server-host.ts";
import type { ServedThread } from "./thread-archive.ts";
import { ToolFailure, toolResult } from "./tool-failure.ts";
import { READ_ONLY, threadIdField } from "./tool-shape.ts";

/** The name of the tool. */
export const EXPLAIN_TOOL_NAME = "explain";

/** Ids of other messages that an explanation names at the most; the rest is counted. */
const MOST_COMPANIONS = 50;

const inputSchema = z.object({
  message_id: z.string().min(1).max(512).describe("Id of the message, or its number in the thread as in #12."),
  thread_id: threadIdField,
});

const outputSchema = z.object({
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

/** `explain`: says why a message is, or is not, in the prompt, since when, and which call gets it back. */
export function registerExplain(server: McpServer, host: ServerHost): void {
  const config = {
    title: "Explain a message",
    description:
      "Say why a message of this conversation is, or is not, in the prompt: what folded it, when and why, and which call gets it back.",
    inputSchema,
    outputSchema,
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

type RecoveryCall = z.infer<typeof outputSchema>["recovery"][number];

/** The calls that get the message back now: an artifact that has expired or may not be read is none, and then neither is the message. */
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
