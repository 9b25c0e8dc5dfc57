import type { MessageOrigin } from "@threadfold/core";
import { thinkingBlocks } from "../anthropic-messages/anthropic-parts.ts";
import { addOpenaiMessages } from "../openai-chat/openai-messages.ts";
import { isAssistantMessage } from "../reading/find-conversation.ts";
import { type ForeignObject, listOf, nonEmptyText, objectOf, parseJson, textOf } from "../reading/foreign-value.ts";
import { documentThreads } from "../reading/source-threads.ts";
import { newestModel } from "../session/session-draft.ts";
import { openingOf, seedOf } from "../session/session-ids.ts";
import type { SessionImporter } from "../session/session-importer.ts";

/**
 * Imports trajectories of SWE-agent (`.traj`): `history` is what the model was sent, and `trajectory` repeats it step
 * by step. Newer runs call tools; older ones write the command into the text and receive its output as the next user
 * message. Nobody types after the task, so those messages start no turn, and neither does a demonstration.
 */
export const sweAgentImporter: SessionImporter = {
  format: "swe-agent",
  detect: ({ records }) => (isTrajectory(records[0]?.value) ? 1 : 0),
  threads: (source) => documentThreads(source, isTrajectory),
  import({ source, records: [first] }, draft) {
    const frame = objectOf(first?.value) ?? {};
    const messages = listOf(frame.history) ?? [];
    const opening = openingOf(source, frame, messages, isAssistantMessage);
    const line = first?.line ?? 0;
    addOpenaiMessages(
      {
        messages,
        pointerTo: (index) => ({ line, path: `/history/${index}` }),
        seed: seedOf(opening),
        thoughtsOf: thinkingBlocks,
        originOf: originsAfter(taskIn(messages)),
        saysFailed: ({ content }) => FAILED.test(textOf(content) ?? textOf(objectOf(listOf(content)?.[0])?.text) ?? ""),
      },
      draft,
    );
    const model = newestModel(draft.messages) ?? modelOf(frame);
    return { opening, records: messages.length, system: [], tools: [], ...(model !== undefined && { model }) };
  },
};

/** How an observation begins when nothing was edited, or when a command was stopped. */
const FAILED =
  /^(?:OBSERVATION:\r?\n)?(?:No replacement was performed\b|Invalid `\w+` parameter\b|The path \S+ does not exist\b|File already exists at: |The command '[^\n]{0,2000}' was cancelled because it took more than \d)/;

function isTrajectory(value: unknown): boolean {
  const document = objectOf(value);
  return listOf(document?.history) !== undefined && listOf(document?.trajectory) !== undefined;
}

/** The message that sets the task: the first user message that is not a demonstration. */
const taskIn = (messages: readonly unknown[]): number =>
  messages.findIndex((value) => objectOf(value)?.role === "user" && objectOf(value)?.is_demo !== true);

const originsAfter =
  (task: number) =>
  (_message: ForeignObject, index: number): MessageOrigin | undefined =>
    index === task ? undefined : "harness";

/** The model that the run was configured with. Newer versions write the configuration as JSON text. */
function modelOf({ replay_config: config }: ForeignObject): string | undefined {
  const parsed = parseJson(textOf(config) ?? "");
  const agent = objectOf(objectOf(parsed.ok ? parsed.value : config)?.agent);
  return nonEmptyText(objectOf(agent?.model)?.name)?.toWellFormed();
}
