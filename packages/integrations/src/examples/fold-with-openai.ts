// A loop of one's own over the OpenAI SDK, with the two functions that make and take in what it speaks.
import type { ThreadId } from "@threadfold/core";
import { formatById } from "@threadfold/renderer";
import { ContextSession } from "@threadfold/session";
import type OpenAI from "openai";
// In your own code: "@threadfold/integrations/openai".
import { fromOpenaiResponse } from "../openai/from-openai-response.ts";
import { openaiChatTurn } from "../openai/openai-chat-turn.ts";
import { toOpenaiResponsesRequest } from "../openai/to-openai-request.ts";

/** Chat Completions with the loop helper. */
export async function ask(threadId: ThreadId, client: OpenAI, questions: readonly string[]) {
  const session = await ContextSession.open({ threadId, format: formatById("openai-chat") });
  const turn = openaiChatTurn({ session, client, model: "gpt-5.1" });
  for (const question of questions) await turn.send(question);
  return session;
}

/** Responses, in two functions: what the session prepared goes out, what came back goes into its thread. */
export async function answer(session: ContextSession, client: OpenAI) {
  const request = toOpenaiResponsesRequest(await session.prepare());
  const response = await client.responses.create({ model: "gpt-5.1", store: false, ...request, stream: false });
  await session.complete(fromOpenaiResponse(response));
  return response.output_text;
}
