import { asMessageId, asThreadId } from "@threadfold/core";
import type { ForkOptions } from "@threadfold/session";
import type { CliCall, CliCommand } from "../command/cli-command.ts";
import { count, plainText } from "../output/page.ts";
import { STORE_OPTION } from "../parse/options.ts";
import { workingSession } from "../store/working-session.ts";

/** `fork`: creates a separate thread from the beginning of another one. */
export const forkCommand: CliCommand = {
  arguments: [
    { name: "threadId", description: "id of the thread to fork; it stays as it is" },
    { name: "newId", description: "id of the fork" },
  ],
  options: [
    { flags: "--at <messageId>", description: "last message of the fork (default: the whole thread)" },
    { flags: "--before <messageId>", description: "message that the fork stops before, to say it differently" },
    STORE_OPTION,
  ],
  examples: ["fork my-thread try-again --before m42 --store sessions.db", "fork my-thread as-it-was --at m41 --json"],
  run({ arguments: [threadId = "", newId = ""], options }, context) {
    return workingSession(threadId, options, context, async (session) => {
      const { thread, plan } = await session.fork({ threadId: asThreadId(newId), ...placeOf(options) });
      return {
        data: {
          threadId: thread.id,
          version: thread.version,
          messages: thread.length,
          planVersion: plan?.version ?? 0,
        },
        text: () =>
          `${plainText(thread.id)} begins with ${count(thread.length, "message")} of ${plainText(session.threadId)}.`,
        brief: plainText(thread.id),
      };
    });
  },
};

const placeOf = ({ at, before }: CliCall["options"]): Pick<ForkOptions, "atMessage" | "beforeMessage"> => ({
  ...(typeof at === "string" && { atMessage: asMessageId(at) }),
  ...(typeof before === "string" && { beforeMessage: asMessageId(before) }),
});
