import {
  type JsonObject,
  type JsonValue,
  type MessageId,
  type MessageOrigin,
  type Part,
  type Role,
  toWellFormedJson,
} from "@threadfold/core";
import { openaiUsage } from "../openai-chat/openai-messages.ts";
import { openaiContentParts, openaiPart } from "../openai-chat/openai-parts.ts";
import { openaiCalls } from "../openai-chat/openai-tools.ts";
import { type ForeignObject, listOf, nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourcePointer } from "../reading/source-records.ts";
import type { DraftMessage, SessionDraft } from "../session/session-draft.ts";
import { toolResultContent } from "../session/shared-readers.ts";
import {
  addedParts,
  messageParts,
  observationText,
  outcomeOf,
  recalledParts,
  thoughtParts,
} from "./openhands-events.ts";

/** Event types with nothing for the model: states, and requests whose answer is a separate event. */
const NON_PROMPT = new Set([
  ...["recall", "change_agent_state", "null", "pause", "resume", "start", "stop", "condensation_request"],
]);
const NON_PROMPT_OBSERVATIONS = new Set(["agent_state_changed", "null", "success"]);

/** Reads the events of a run in order. */
export class OpenhandsTranscript {
  readonly #draft: SessionDraft;
  readonly #seed: string;
  /** Messages are held back until the end: several actions may come from one response. */
  readonly #pending: { message: DraftMessage; details?: JsonObject }[] = [];
  readonly #responses = new Map<string, number>();
  /** Ids of calls made by events that have no call id. */
  readonly #called = new Set<string>();
  #index = 0;

  constructor(draft: SessionDraft, seed: string) {
    this.#draft = draft;
    this.#seed = seed;
  }

  read(event: ForeignObject, at: SourcePointer): void {
    this.#index++;
    const action = textOf(event.action);
    const observation = textOf(event.observation);
    if (action !== undefined) this.#readAction(action, event, at);
    else if (observation !== undefined) this.#readObservation(observation, event, at);
    else this.#draft.reportMalformed(at, "it is neither an action nor an observation");
  }

  finish(): void {
    for (const { message, details } of this.#pending) {
      const messageId: MessageId = this.#draft.add(message);
      if (message.origin === "compaction") this.#draft.compactions.push({ messageId, ...(details && { details }) });
    }
  }

  #readAction(action: string, event: ForeignObject, at: SourcePointer): void {
    if (NON_PROMPT.has(action)) this.#draft.skip(`action/${action}`, at);
    else if (action === "condensation") this.#readCondensation(event, at);
    else if (action === "system") this.#add("system", messageParts(event), event, at);
    else if (action === "message" && event.source === "user") this.#readUserMessage(event, at);
    else if (action === "message" && event.tool_call_metadata === undefined)
      this.#add("assistant", messageParts(event), event, at);
    else this.#readCall(event, at);
  }

  #readUserMessage(event: ForeignObject, at: SourcePointer): void {
    this.#add("user", messageParts(event), event, at);
    const added = addedParts(event);
    if (added.length > 0) this.#add("user", added, { ...event, id: `${this.#idOf(event)}.added` }, at, "harness");
  }

  /** Actions of one response become one message: the response itself contains their calls. */
  #readCall(event: ForeignObject, at: SourcePointer): void {
    const responseId = responseIdOf(event);
    const known = responseId === undefined ? undefined : this.#responses.get(responseId);
    const pending = known === undefined ? undefined : this.#pending[known];
    if (pending !== undefined) {
      // Since version 1, each action has only its own call.
      const more = event.kind === undefined ? [] : responseOf(event, this.#draft, at).parts;
      pending.message = withPlace({ ...pending.message, parts: [...pending.message.parts, ...more] }, at);
      return;
    }
    if (responseId !== undefined) this.#responses.set(responseId, this.#pending.length);
    const said = responseOf(event, this.#draft, at);
    const ownId = eventCallId(event.id);
    if (ownId !== undefined && said.parts.some((part) => part.type === "tool-call" && part.callId === ownId))
      this.#called.add(ownId);
    const notes = responseId === undefined ? {} : { notes: { responseId } };
    this.#pending.push({ message: { ...this.#placeOf(event, at), role: "assistant", ...said, ...notes } });
  }

  #readObservation(observation: string, event: ForeignObject, at: SourcePointer): void {
    const cause = eventCallId(event.cause);
    const callId =
      objectOf(event.tool_call_metadata)?.tool_call_id ?? (this.#called.has(cause ?? "") ? cause : undefined);
    if (NON_PROMPT_OBSERVATIONS.has(observation)) this.#draft.skip(`observation/${observation}`, at);
    else if (nonEmptyText(callId) !== undefined) this.#addResult(callId, event, at);
    else if (observation === "recall") this.#add("user", recalledParts(event), event, at, "harness");
    else if (observation === "condense") this.#add("user", textPart(event.content), event, at, "compaction");
    else this.#add("user", textPart(observationText(event)), event, at, "harness");
  }

  #addResult(callId: unknown, event: ForeignObject, at: SourcePointer): void {
    const answered = this.#draft.calls.answer(callId, undefined, `result-${at.line}${at.path ?? ""}`);
    const content = toolResultContent(listOf(event.content) ?? observationText(event), openaiPart);
    const result = { ...answered, outcome: outcomeOf(event), content };
    this.#add("tool", [{ type: "tool-result", result }], event, at);
  }

  /** A condensation forgets events and may replace them with a summary; without one there is nothing to send. */
  #readCondensation(event: ForeignObject, at: SourcePointer): void {
    const { summary, ...details } = objectOf(event.args) ?? {};
    const text = nonEmptyText(summary);
    if (text === undefined) return this.#draft.skip("action/condensation without a summary", at);
    this.#add("user", textPart(text), event, at, "compaction", toWellFormedJson(details) as JsonObject);
  }

  #add(
    role: Role,
    parts: readonly Part[],
    event: ForeignObject,
    at: SourcePointer,
    origin?: MessageOrigin,
    details?: JsonObject,
  ): void {
    const message: DraftMessage = { ...this.#placeOf(event, at), role, parts, ...(origin && { origin }) };
    this.#pending.push({ message, ...(details && { details }) });
  }

  #placeOf(event: ForeignObject, at: SourcePointer): Pick<DraftMessage, "id" | "time" | "source"> {
    return { id: `${this.#seed}-${this.#idOf(event)}`, time: event.timestamp, source: at };
  }

  #idOf({ id }: ForeignObject): string {
    return typeof id === "number" || typeof id === "string" ? String(id) : `i${this.#index}`;
  }
}

const textPart = (text: unknown): readonly Part[] => [{ type: "text", text: textOf(text) ?? "" }];

function withPlace(message: DraftMessage, at: SourcePointer): DraftMessage {
  const { source, sourceLines = [source.line], sourcePaths = [source.path ?? ""] } = message;
  return at.path === undefined
    ? { ...message, sourceLines: [...sourceLines, at.line] }
    : { ...message, sourcePaths: [...sourcePaths, at.path] };
}

/** The model's output when it chose an action. */
type SaidByModel = Pick<DraftMessage, "parts" | "model" | "usage">;

/** The response that an action came from: the raw completion in the log or, failing that, the action's own data. */
function responseOf(event: ForeignObject, draft: SessionDraft, at: SourcePointer): SaidByModel {
  const metadata = objectOf(event.tool_call_metadata);
  const completion = objectOf(metadata?.model_response);
  const message = objectOf(objectOf(listOf(completion?.choices)?.[0])?.message);
  if (message === undefined || listOf(message.tool_calls) === undefined)
    return { parts: partsOfAction(event, draft, at) };
  const usage = openaiUsage(completion?.usage);
  const model = nonEmptyText(completion?.model);
  return {
    parts: [
      ...thoughtParts(message),
      ...openaiContentParts(message.content).filter((part) => part.type !== "text" || part.text !== ""),
      ...openaiCalls(message, draft, at),
    ],
    ...(model !== undefined && { model }),
    ...(usage && { usage }),
  };
}

/** The id of the response that an action came from, shared by all actions of that response. */
const responseIdOf = (event: ForeignObject): string | undefined =>
  nonEmptyText(objectOf(objectOf(event.tool_call_metadata)?.model_response)?.id);

/** Reads an action without the raw response: the thought, and a tool call with the action's arguments. */
function partsOfAction(event: ForeignObject, draft: SessionDraft, at: SourcePointer): readonly Part[] {
  const metadata = objectOf(event.tool_call_metadata);
  const { thought, ...args } = objectOf(event.args) ?? {};
  const toolName = textOf(metadata?.function_name) ?? textOf(event.action) ?? "";
  const callId = draft.calls.open(
    metadata?.tool_call_id ?? eventCallId(event.id),
    toolName,
    `call-${at.line}${at.path ?? ""}`,
  );
  const text = nonEmptyText(thought);
  return [
    ...(text === undefined ? [] : [{ type: "text", text } as const]),
    { type: "tool-call", callId, toolName, input: args as JsonValue },
  ];
}

/** The id for a call that has none in the log: that of its event, by which the observation names its cause. */
const eventCallId = (id: unknown): string | undefined =>
  typeof id === "number" || typeof id === "string" ? `event-${id}` : undefined;
