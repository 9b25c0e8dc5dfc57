import type { ContextSession } from "@threadfold/session";
import type { CliCommand, CliReport } from "../command/cli-command.ts";
import { commandModel, MODEL_OPTIONS, modelNote } from "../model/command-model.ts";
import { plainText } from "../output/page.ts";
import { STORE_OPTION } from "../parse/options.ts";
import { newThreadId, requiredText, workingSession } from "../store/working-session.ts";

/** `handoff`: starts a new thread with what a goal needs from another one. */
export const handoffCommand: CliCommand = {
  arguments: [
    { name: "threadId", description: "id of the thread to hand off" },
    { name: "newId", description: "id of the new thread" },
  ],
  options: [
    { flags: "--goal <text>", description: "what the new thread is for; its first request" },
    ...MODEL_OPTIONS,
    STORE_OPTION,
  ],
  examples: [
    'handoff my-thread next-thread --goal "Write the migration." --store sessions.db',
    'handoff my-thread next-thread --goal "Write the migration." --json',
  ],
  async run({ arguments: [threadId = "", newId = ""], options }, context) {
    const goal = requiredText("goal", options["goal"], "what the new thread is for");
    const next = newThreadId(newId);
    const model = await commandModel({ options }, context);
    const asked = model === undefined ? {} : { summaryModel: model };
    const work = async (session: ContextSession): Promise<CliReport> => {
      const { io } = context;
      const made = await session.handoff({ goal, threadId: next, signal: io.signal });
      const { thread, briefing, reference, problem } = made;
      return {
        data: {
          threadId: thread.id,
          version: thread.version,
          pins: thread.livePins.length,
          reference,
          briefing,
          problem,
          model: model?.work ?? null,
        },
        text: ({ paint }) => `${paint("bold", plainText(thread.id))}\n\n${plainText(briefing)}`,
        brief: plainText(thread.id),
        notes: [...(problem === null ? [] : [problem]), ...(model === undefined ? [] : [modelNote(model.work)])],
      };
    };
    return workingSession(threadId, options, context, work, asked);
  },
};
