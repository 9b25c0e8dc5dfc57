// npm install threadfold @threadfold/integrations @anthropic-ai/sdk @dbos-inc/dbos-sdk pg
// node dbos-steps.ts
import Anthropic from "@anthropic-ai/sdk";
import { fromAnthropic, toAnthropicRequest } from "@threadfold/integrations/anthropic";
import { ContextSession, type RequestReference } from "threadfold";

export const database = process.env.DBOS_SYSTEM_DATABASE_URL ?? "postgresql://postgres@localhost:5432/agent";
const model = "claude-sonnet-5";
export const open = (threadId: string) => ContextSession.open({ threadId, store: database, model });

/** Folds if a fold is due, and returns a reference to the next request. */
export async function prepare(threadId: string): Promise<RequestReference> {
  const session = await open(threadId);
  try {
    return (await session.prepare()).reference;
  } finally {
    await session.close();
  }
}

/** Sends the request, and keeps the answer in the thread. */
export async function ask(reference: RequestReference): Promise<void> {
  const session = await open(reference.threadId);
  try {
    const request = await session.prepareAgain(reference);
    if (request === null) return; // answered before a crash
    const body = { model, max_tokens: 8_000, ...toAnthropicRequest(request) };
    await session.complete(fromAnthropic(await new Anthropic().messages.create({ ...body, stream: false })));
  } finally {
    await session.close();
  }
}
