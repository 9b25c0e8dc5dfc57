import { ThreadfoldError } from "@threadfold/core";
import type { CliCommand } from "../command/cli-command.ts";
import { describeOutcome } from "../compact/compact-page.ts";
import { unsoundness } from "../compact/soundness.ts";
import { figure } from "../output/page.ts";
import { STORE_OPTION } from "../parse/options.ts";
import { workingSession } from "../store/working-session.ts";

/** `revert`: puts an earlier plan of a thread back into effect, as a new plan. */
export const revertCommand: CliCommand = {
  arguments: [
    { name: "threadId", description: "id of the thread" },
    { name: "plan", description: "version of the plan to restore; 0 shows everything" },
  ],
  options: [STORE_OPTION],
  examples: ["revert my-thread 1 --store sessions.db", "revert my-thread 0 --store sessions.db --json"],
  run({ arguments: [threadId = "", plan = ""], options }, context) {
    if (!/^\d{1,9}$/.test(plan))
      throw new ThreadfoldError("USAGE", `The plan is ${JSON.stringify(plan)}; it must be a version, 0 or higher.`);
    return workingSession(threadId, options, context, async (session) => {
      const outcome = await session.revert(Number(plan));
      const { before, after } = outcome.tokens;
      const { version } = session.plan;
      const failure =
        outcome.type === "refused"
          ? unsoundness(outcome.violations, outcome.missingPins)
          : outcome.type === "conflict"
            ? new ThreadfoldError("PLAN_CONFLICT", `Another writer committed plan ${outcome.currentVersion} first.`)
            : undefined;
      return {
        data: { threadId: session.threadId, outcome: outcome.type, planVersion: version, tokens: { before, after } },
        text: () =>
          outcome.type === "committed"
            ? `Plan ${version} restores plan ${plan}: ${figure(before)} → ${figure(after)} tokens.`
            : `Nothing changed: ${describeOutcome(outcome)}.`,
        ...(failure !== undefined && { failure }),
      };
    });
  },
};
