import { asMessageId, ThreadfoldError } from "@threadfold/core";
import type { ForkOptions } from "@threadfold/session";
import type { CliCall, CliCommand } from "../command/cli-command.ts";
import { count, plainText } from "../output/page.ts";
import { STORE_OPTION } from "../parse/options.ts";
import { newThreadId, workingSession } from "../store/working-session.ts";

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
    const place = { threadId: newThreadId(newId), ...placeOf(options) };
    return workingSession(threadId, options, context, async (session) => {
      const { thread, plan } = await session.fork(place);
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

/** Parses where the fork ends. @throws ThreadfoldError `USAGE` for two places. */
function placeOf({ at, before }: CliCall["options"]): Pick<ForkOptions, "atMessage" | "beforeMessage"> {
  if (at !== undefined && before !== undefined)
    throw new ThreadfoldError("USAGE", "--at and --before are both given, but a fork ends in one place.", {
      hint: "Give --at for the last message of the fork, or --before for the first that it leaves out.",
    });
  return {
    ...(typeof at === "string" && { atMessage: asMessageId(at) }),
    ...(typeof before === "string" && { beforeMessage: asMessageId(before) }),
  };
}
