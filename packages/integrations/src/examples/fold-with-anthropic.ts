// A loop over the Anthropic SDK: what is said and answered goes into the thread, the session makes the requests.
import type Anthropic from "@anthropic-ai/sdk";
import type { ThreadId } from "@threadfold/core";
import { ContextSession } from "@threadfold/session";
// In your own code: "@threadfold/integrations/anthropic".
import { anthropicTurn } from "../anthropic/anthropic-turn.ts";
import { threadfoldTools } from "../anthropic/threadfold-tools.ts";

export async function work(
  threadId: ThreadId,
  client: Anthropic,
  tools: Anthropic.Tool[],
  run: (call: Anthropic.ToolUseBlock) => Promise<string>,
  task: string,
) {
  const session = await ContextSession.open({
    threadId,
    model: "claude-haiku-4-5",
    config: { maxInputTokens: 32_000 },
  });
  const turn = anthropicTurn({
    session,
    client,
    model: "claude-haiku-4-5",
    max_tokens: 8_000,
    // The turn itself answers the calls that lead to what was folded.
    tools: [...tools, ...threadfoldTools(session)],
  });
  let { calls, message } = await turn.send(task);
  while (calls.length > 0) {
    const content = await Promise.all(
      calls.map(async (call) => ({ type: "tool_result" as const, tool_use_id: call.id, content: await run(call) })),
    );
    ({ calls, message } = await turn.send({ role: "user", content }));
  }
  return { session, message };
}
