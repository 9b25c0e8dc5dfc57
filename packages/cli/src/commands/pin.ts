import { type Authority, asPinId, ThreadfoldError } from "@threadfold/core";
import type { CliCall, CliCommand } from "../command/cli-command.ts";
import { plainText } from "../output/page.ts";
import { STORE_OPTION } from "../parse/options.ts";
import { requiredText, workingSession } from "../store/working-session.ts";

const AUTHORITIES: readonly Authority[] = ["user", "operator", "system"];

/** `pin`: keeps a text in every request of a thread, or lifts an existing pin. */
export const pinCommand: CliCommand = {
  arguments: [
    { name: "threadId", description: "id of the thread" },
    { name: "text", description: "text to keep, word for word", optional: true },
  ],
  options: [
    { flags: "--authority <who>", description: "who says so", fallback: "user", choices: AUTHORITIES },
    { flags: "--lift <pinId>", description: "pin, or candidate, that no longer applies" },
    { flags: "--reason <text>", description: "why it is lifted" },
    STORE_OPTION,
  ],
  examples: [
    'pin my-thread "Never push to main." --store sessions.db',
    'pin my-thread --lift pin-1 --reason "The freeze is over." --store sessions.db',
  ],
  run({ arguments: [threadId = "", text], options }, context) {
    const authority = String(options["authority"]) as Authority;
    const { lift } = options;
    if ((text === undefined) === (lift === undefined))
      throw new ThreadfoldError("USAGE", "Say what to pin, or which pin to lift with --lift.");
    return workingSession(threadId, options, context, async (session) => {
      const pinId = typeof lift === "string" ? asPinId(lift) : await session.pin(String(text), authority);
      if (typeof lift === "string") await session.liftPin(pinId, authority, reasonOf(options));
      const live = session.thread.livePins.length;
      const did = typeof lift === "string" ? "Lifted" : "Pinned";
      return {
        data: { threadId: session.threadId, pinId, lifted: typeof lift === "string", live },
        text: () => `${did} ${plainText(pinId)}; ${live} ${live === 1 ? "pin is" : "pins are"} in effect.`,
        brief: plainText(pinId),
      };
    });
  },
};

const reasonOf = ({ reason }: CliCall["options"]): string => requiredText("reason", reason, "why the pin is lifted");
