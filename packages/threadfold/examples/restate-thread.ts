// npm install threadfold @threadfold/integrations @anthropic-ai/sdk @restatedev/restate-sdk @restatedev/restate-sdk-clients
// node restate-thread.ts
import Anthropic from "@anthropic-ai/sdk";
import { object, type ObjectContext } from "@restatedev/restate-sdk";
import { fromAnthropic, toAnthropicRequest } from "@threadfold/integrations/anthropic";
import { ContextSession, type RequestReference } from "threadfold";

const model = "claude-sonnet-5";
export const open = (threadId: string) => ContextSession.open({ threadId, store: "restate.db", model });

/** Folds if a fold is due, and returns a reference to the next request. */
async function prepare(threadId: string): Promise<RequestReference> {
  const session = await open(threadId);
  try {
    return (await session.prepare()).reference;
  } finally {
    await session.close();
  }
}

/** Sends the request, and keeps the answer in the thread. */
async function ask(reference: RequestReference): Promise<void> {
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

export const thread = object({
  name: "thread",
  handlers: {
    turn: async (ctx: ObjectContext) => {
      const reference = await ctx.run("prepare", () => prepare(ctx.key));
      await ctx.run("ask", () => ask(reference));
      return reference;
    },
  },
});
