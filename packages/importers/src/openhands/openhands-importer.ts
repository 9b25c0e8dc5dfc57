import { addOpenaiMessages } from "../openai-chat/openai-messages.ts";
import { openaiTools } from "../openai-chat/openai-tools.ts";
import { isAssistantMessage } from "../reading/find-conversation.ts";
import { type ForeignObject, listOf, nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourcePointer, SourceRecords } from "../reading/source-records.ts";
import { documentThreads } from "../reading/source-threads.ts";
import { newestModel, type SessionDraft } from "../session/session-draft.ts";
import { openingOf, seedOf } from "../session/session-ids.ts";
import type { DraftedSession, SessionImporter } from "../session/session-importer.ts";
import { earlierForm, type FoundEvents, findEvents, holdsRun } from "./openhands-events.ts";
import { OpenhandsTranscript } from "./openhands-transcript.ts";

/**
 * Imports runs of OpenHands: a benchmark's `output.jsonl` with one run per line, each a thread named after its
 * instance; the events of a single run; or its logs of single requests.
 */
export const openhandsImporter: SessionImporter = {
  format: "openhands",
  detect: (source) => (isRequestLog(source.records[0]?.value) || findEvents(source) !== undefined ? 1 : 0),
  threads: (source) => documentThreads(source, holdsRun),
  import(source, draft) {
    const [first] = source.records;
    if (isRequestLog(first?.value)) return importRequest(source, draft);
    const found = findEvents(source);
    return found === undefined ? { records: 0, system: [], tools: [] } : importEvents(found, source, draft);
  },
};

function importEvents({ events, frame }: FoundEvents, { source }: SourceRecords, draft: SessionDraft): DraftedSession {
  const values = events.map(({ value }) => {
    const event = objectOf(value);
    return event === undefined ? value : (earlierForm(event) ?? null);
  });
  const opening = openingOf(source, frame, values, isModelAction);
  const transcript = new OpenhandsTranscript(draft, seedOf(opening));
  for (const [index, { value, at }] of events.entries()) {
    const event = objectOf(values[index]);
    const kind = textOf(objectOf(value)?.kind);
    if (event !== undefined) transcript.read(event, at);
    else if (values[index] === null && kind !== undefined) skipEvent(kind, at, draft);
    else draft.reportMalformed(at, "it is not an event");
  }
  transcript.finish();
  const model = newestModel(draft.messages) ?? configuredModel(frame);
  return {
    opening,
    records: events.length,
    system: [],
    tools: openaiTools(toolsIn(values), draft),
    ...(model !== undefined && { model }),
  };
}

/** Kinds of events of version 1 with nothing for the model. */
const NON_PROMPT = new Set([
  ...["ConversationStateUpdateEvent", "ConversationErrorEvent", "HookExecutionEvent", "LLMCompletionLogEvent"],
  ...["TokenEvent", "StreamingDeltaEvent", "PauseEvent", "InterruptEvent", "CondensationRequest"],
]);

function skipEvent(kind: string, at: SourcePointer, draft: SessionDraft): void {
  const type = `event/${kind.slice(0, 40)}`;
  if (NON_PROMPT.has(kind)) draft.skip(type, at);
  else draft.skipUnknown(type, at);
}

function importRequest({ source, records: [first] }: SourceRecords, draft: SessionDraft): DraftedSession {
  const log = objectOf(first?.value) ?? {};
  const messages = listOf(log.messages) ?? [];
  const line = first?.line ?? 0;
  const opening = openingOf(source, {}, beginningOf(log), () => false);
  addOpenaiMessages(
    { messages, pointerTo: (index) => ({ line, path: `/messages/${index}` }), seed: seedOf(opening) },
    draft,
  );
  draft.skip("response", { line, path: "/response" });
  const model = nonEmptyText(objectOf(log.response)?.model)?.toWellFormed();
  return {
    opening,
    records: messages.length + 1,
    system: [],
    tools: openaiTools(log.tools, draft),
    ...(model !== undefined && { model }),
  };
}

/** Checks for an action that a model chose. */
function isModelAction(value: unknown): boolean {
  const event = objectOf(value);
  return event?.source === "agent" && event.action !== undefined && event.action !== "system";
}

/** The tools that the system event lists. */
function toolsIn(values: readonly unknown[]): unknown {
  const system = values.find((value) => objectOf(value)?.action === "system");
  return objectOf(objectOf(system)?.args)?.tools;
}

/** The model that the run was configured with. */
function configuredModel({ metadata }: ForeignObject): string | undefined {
  return nonEmptyText(objectOf(objectOf(metadata)?.llm_config)?.model)?.toWellFormed();
}

/**
 * Checks for the log of a single request that OpenHands sent: `messages` and `tools`, and the response. The thread is
 * what was sent; the answer is the newest message of the next request, so the logs of a conversation are one growing
 * thread.
 */
function isRequestLog(value: unknown): boolean {
  const log = objectOf(value);
  return listOf(log?.messages) !== undefined && isAnswer(log?.response) && hasOwnField(log ?? {});
}

const isAnswer = (response: unknown): boolean => listOf(objectOf(response)?.choices) !== undefined;

/**
 * The opening of a request's conversation: what precedes the first answer, and that answer, represented by the ids of
 * its calls or, failing that, by its text. The first request has this answer in its response, later ones among their
 * messages.
 */
function beginningOf(log: ForeignObject): readonly unknown[] {
  const messages = listOf(log.messages) ?? [];
  const first = messages.findIndex(isAssistantMessage);
  const response = objectOf(objectOf(listOf(objectOf(log.response)?.choices)?.[0])?.message);
  const answer = first === -1 ? response : objectOf(messages[first]);
  const calls = (listOf(answer?.tool_calls) ?? []).map((call) => objectOf(call)?.id);
  return [...messages.slice(0, first === -1 ? undefined : first), calls.length > 0 ? calls : textsOf(answer?.content)];
}

const textsOf = (content: unknown): unknown => listOf(content)?.map((block) => objectOf(block)?.text) ?? [content];

const hasOwnField = (log: ForeignObject): boolean => log.latency_sec !== undefined || log.kwargs !== undefined;
