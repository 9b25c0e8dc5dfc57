import { type Authority, asPinId, type Pin, type PinId, ThreadfoldError } from "@threadfold/core";
import type { ContextSession } from "@threadfold/session";
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
    if (lift === undefined && options["reason"] !== undefined)
      throw new ThreadfoldError("USAGE", "--reason is given without --lift.");
    return workingSession(threadId, options, context, async (session) => {
      const pinId = typeof lift === "string" ? asPinId(lift) : await session.pin(String(text), authority);
      if (typeof lift === "string") await liftPin(session, pinId, authority, reasonOf(options));
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

/** @throws ThreadfoldError `INVALID_PIN`, saying what the command can lift instead, or how it can lift this one. */
async function liftPin(session: ContextSession, pinId: PinId, authority: Authority, reason: string): Promise<void> {
  try {
    await session.liftPin(pinId, authority, reason);
  } catch (cause) {
    if (!ThreadfoldError.isInstance(cause) || cause.code !== "INVALID_PIN") throw cause;
    const { livePins } = session.thread;
    const owner = livePins.find(({ id }) => id === pinId)?.authority;
    const hint = owner === undefined ? pinsHint(livePins) : `If you may decide that, say so with --authority ${owner}.`;
    throw new ThreadfoldError(cause.code, cause.message, { hint, details: cause.details, cause });
  }
}

/** Maximum number of pins that a hint lists, and of characters of each. */
const [MOST_HINTED, MOST_SHOWN] = [5, 60];

function pinsHint(pins: readonly Pin[]): string {
  if (pins.length === 0) return "No pin is in effect.";
  const shown = pins.slice(0, MOST_HINTED).map(({ id, text }) => {
    const said = text.replace(/\s+/g, " ");
    return `${id} (${said.length > MOST_SHOWN ? `${said.slice(0, MOST_SHOWN).toWellFormed()}…` : said})`;
  });
  return `In effect: ${shown.join(", ")}${pins.length > MOST_HINTED ? ", …" : ""}.`;
}

const reasonOf = ({ reason }: CliCall["options"]): string => requiredText("reason", reason, "why the pin is lifted");
