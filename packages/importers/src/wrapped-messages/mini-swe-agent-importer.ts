import type { MessageOrigin } from "@threadfold/core";
import { thinkingBlocks } from "../anthropic-messages/anthropic-parts.ts";
import { addOpenaiMessages, openaiUsage } from "../openai-chat/openai-messages.ts";
import { responseParts } from "../openai-responses/response-parts.ts";
import { type ItemPlace, ResponseTranscript } from "../openai-responses/response-transcript.ts";
import { isAssistantMessage } from "../reading/find-conversation.ts";
import { type ForeignObject, listOf, nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import { documentThreads } from "../reading/source-threads.ts";
import { newestModel, type SessionDraft } from "../session/session-draft.ts";
import { openingOf, seedOf } from "../session/session-ids.ts";
import type { SessionImporter } from "../session/session-importer.ts";

/**
 * Imports trajectories of mini-swe-agent (`.traj.json`). In older runs a command is a block in the model's text, and its
 * output is the next user message; newer ones call a tool, over the Chat API or the Responses API. After the task, the
 * harness speaks as the user unless it says that somebody stepped in. `extra.response` is the raw completion: its usage
 * is imported, its reasoning is not, because the agent never sends it again.
 */
export const miniSweAgentImporter: SessionImporter = {
  format: "mini-swe-agent",
  detect: ({ records }) => (isTrajectory(records[0]?.value) ? 1 : 0),
  threads: (source) => documentThreads(source, isTrajectory),
  import({ source, records: [first] }, draft) {
    const frame = objectOf(first?.value) ?? {};
    const messages = listOf(frame.messages) ?? [];
    const opening = openingOf(source, frame, messages, (value) => isAssistantMessage(value) || isResponse(value));
    const run = { messages, line: first?.line ?? 0, seed: seedOf(opening) };
    const records = messages.some(isResponse) ? addResponses(run, draft) : addMessages(run, draft);
    const model = newestModel(draft.messages) ?? modelOf(frame);
    return { opening, records, system: [], tools: [], ...(model !== undefined && { model }) };
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

/** The messages of a run, the line that they are on, and the prefix of their ids. */
interface Run {
  readonly messages: readonly unknown[];
  readonly line: number;
  readonly seed: string;
}

/** Adds messages of the Chat API. @returns how many there are. */
function addMessages({ messages, line, seed }: Run, draft: SessionDraft): number {
  const task = taskIn(messages);
  addOpenaiMessages(
    {
      messages: messages.map(chatMessage),
      pointerTo: (index) => ({ line, path: `/messages/${index}` }),
      seed,
      thoughtsOf: thinkingBlocks,
      originOf: (message, index) => (index === task ? undefined : originOf(message)),
      saysFailed: hasFailed,
    },
    draft,
  );
  return messages.length;
}

/** Newer versions end with a message with the role `exit`: what the harness reports when the run is over. */
function chatMessage(value: unknown): unknown {
  const message = objectOf(value);
  if (message === undefined) return value;
  return { timestamp: timeOf(message), ...message, ...(message.role === "exit" && { role: "user" }) };
}

const isResponse = (value: unknown): boolean => objectOf(value)?.object === "response";

/**
 * Adds messages of a run over the Responses API, where an answer is the whole response. @returns how many messages and
 * items of responses there are.
 */
function addResponses({ messages, line, seed }: Run, draft: SessionDraft): number {
  const transcript = new ResponseTranscript(draft);
  const task = taskIn(messages);
  let records = 0;
  for (const [index, value] of messages.entries()) {
    const message = objectOf(value);
    const at = { line, path: `/messages/${index}` };
    const place = { at, id: `${seed}-${index}`, time: message && timeOf(message) };
    const items = isResponse(message) ? (listOf(message?.output) ?? []) : [];
    records += Math.max(1, items.length);
    if (message === undefined) draft.reportMalformed(at, "it is not a message");
    else if (items.length > 0) addResponse(message, items, place, transcript, draft);
    else if (isResponse(message)) draft.skip("response", at);
    else if (message.role === "user" || message.role === "exit")
      transcript.add("user", responseParts(message.content), place, index === task ? undefined : originOf(message));
    else transcript.read({ ...itemOf(message), ...(hasFailed(message) && { success: false }) }, place);
  }
  transcript.finish();
  return records;
}

function addResponse(
  { model, usage }: ForeignObject,
  items: readonly unknown[],
  { at, id, time }: ItemPlace,
  transcript: ResponseTranscript,
  draft: SessionDraft,
): void {
  transcript.model = nonEmptyText(model)?.toWellFormed();
  for (const [index, value] of items.entries()) {
    const item = objectOf(value);
    const own = { line: at.line, path: `${at.path}/output/${index}` };
    if (item === undefined) draft.reportMalformed(own, "it is not an item");
    else transcript.read(itemOf(item), { at: own, id, time });
  }
  const reported = openaiUsage(usage);
  if (reported !== undefined) transcript.measure(reported);
  transcript.close();
}

/** What the harness adds to an item is never sent. */
const itemOf = ({ extra: _extra, ...item }: ForeignObject): ForeignObject => item;

const timeOf = ({ extra }: ForeignObject): unknown => objectOf(extra)?.timestamp;

/** Checks for the output of a command that failed, was stopped or was never run. */
function hasFailed({ extra }: ForeignObject): boolean {
  const { returncode, exception_info: stopped } = objectOf(extra) ?? {};
  return (typeof returncode === "number" && returncode !== 0) || nonEmptyText(stopped) !== undefined;
}

const taskIn = (messages: readonly unknown[]): number =>
  messages.findIndex((value) => objectOf(value)?.role === "user");

/** What the harness writes when the user stepped in without a word. */
const WORDLESS = /^(?:Interrupted by user: Temporary interruption caught\.|.*\bSwitch(?:ed|ing) to human mode\.?)$/;

/** The origin of a message after the task: the harness's, unless the user interrupted the run or typed a command. */
function originOf({ content, extra }: ForeignObject): MessageOrigin | undefined {
  const { interrupt_type: interruption, actions } = objectOf(extra) ?? {};
  const isOfUser = /^User[A-Z]/.test(textOf(interruption) ?? "") || listOf(actions) !== undefined;
  return isOfUser && !WORDLESS.test(textOf(content) ?? "") ? undefined : "harness";
}
