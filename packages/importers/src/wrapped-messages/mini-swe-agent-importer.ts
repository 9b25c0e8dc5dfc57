import type { MessageOrigin } from "@threadfold/core";
import { addOpenaiMessages } from "../openai-chat/openai-messages.ts";
import { isAssistantMessage } from "../reading/find-conversation.ts";
import { type ForeignObject, listOf, nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import { documentThreads } from "../reading/source-threads.ts";
import { newestModel } from "../session/session-draft.ts";
import { openingOf, seedOf } from "../session/session-ids.ts";
import type { SessionImporter } from "../session/session-importer.ts";

/**
 * Imports trajectories of mini-swe-agent (`.traj.json`). A command is a block in the model's text, and its output is
 * the next user message, which comes from the harness, because nobody types after the task. `extra.response` is the raw
 * completion: its usage is imported, its reasoning is not, because the agent never sends it again.
 */
export const miniSweAgentImporter: SessionImporter = {
  format: "mini-swe-agent",
  detect: ({ records }) => (isTrajectory(records[0]?.value) ? 1 : 0),
  threads: (source) => documentThreads(source, isTrajectory),
  import({ source, records: [first] }, draft) {
    const frame = objectOf(first?.value) ?? {};
    const messages = listOf(frame.messages) ?? [];
    const opening = openingOf(source, frame, messages, isAssistantMessage);
    const line = first?.line ?? 0;
    const task = messages.findIndex((value) => objectOf(value)?.role === "user");
    addOpenaiMessages(
      {
        messages: messages.map(withoutExit),
        pointerTo: (index) => ({ line, path: `/messages/${index}` }),
        seed: seedOf(opening),
        originOf: (_message, index): MessageOrigin | undefined => (index === task ? undefined : "harness"),
      },
      draft,
    );
    const model = newestModel(draft.messages) ?? modelOf(frame);
    return { opening, records: messages.length, system: [], tools: [], ...(model !== undefined && { model }) };
  },
};

function isTrajectory(value: unknown): boolean {
  const document = objectOf(value);
  if (listOf(document?.messages) === undefined) return false;
  const format = textOf(document?.trajectory_format);
  return format?.startsWith("mini-swe-agent") === true || textOf(objectOf(document?.info)?.mini_version) !== undefined;
}

/** The model that the run was configured with. */
function modelOf({ info }: ForeignObject): string | undefined {
  const config = objectOf(objectOf(objectOf(info)?.config)?.model);
  return nonEmptyText(config?.model_name)?.toWellFormed();
}

/** Newer versions end with a message with the role `exit`: what the harness reports when the run is over. */
function withoutExit(value: unknown): unknown {
  const message = objectOf(value);
  return message?.role === "exit" ? { ...message, role: "user" } : value;
}
