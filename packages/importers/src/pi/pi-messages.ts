import type { JsonObject, MessageId, MessageOrigin, Part, ToolResultPart } from "@threadfold/core";
import type { SessionDraft } from "../draft/session-draft.ts";
import { toolResultContent } from "../draft/tool-result-content.ts";
import { type ForeignObject, nonEmptyText, objectOf, textOf, withoutUndefined } from "../reading/foreign-value.ts";
import type { SourcePointer } from "../source-pointer.ts";
import { bashExecutionText } from "./bash-execution-text.ts";
import type { PiEntry } from "./pi-entry.ts";
import { piAssistantParts, piContentParts, piPart, splitCallId } from "./pi-parts.ts";
import { piUsage } from "./pi-usage.ts";

/** Where an entry's message goes: the draft, and the side branch if it is on one. */
export interface PiTarget {
  readonly draft: SessionDraft;
  readonly branch: string | undefined;
}

type ReadMessage = (message: ForeignObject, entry: PiEntry, target: PiTarget) => MessageId | undefined;

/** How each role of a `message` entry is read. A map and not an object, for the role comes from the log. */
const READERS: ReadonlyMap<unknown, ReadMessage> = new Map<string, ReadMessage>([
  ["user", (message, entry, target) => addUser(piContentParts(message.content), undefined, entry, target)],
  ["assistant", addAssistant],
  ["toolResult", addToolResult],
  ["bashExecution", addBashExecution],
  // Version 2 called the messages of extensions `hookMessage`.
  ["custom", (message, entry, target) => addUser(piContentParts(message.content), "harness", entry, target)],
  ["hookMessage", (message, entry, target) => addUser(piContentParts(message.content), "harness", entry, target)],
]);

/** Adds the message of a `message` entry and gives its id, or undefined when the entry holds none for the model. */
export function addPiMessage(entry: PiEntry, target: PiTarget): MessageId | undefined {
  const message = objectOf(entry.fields.message);
  const read = READERS.get(message?.role);
  if (message !== undefined && read !== undefined) return read(message, entry, target);
  target.draft.reportMalformed(
    pointerTo(entry),
    message === undefined ? "it has no message" : "its message has no known role",
  );
  return undefined;
}

/** Adds a message of role user: typed by somebody, or put there by the harness or a compaction. */
export function addUser(
  parts: readonly Part[],
  origin: MessageOrigin | undefined,
  entry: PiEntry,
  { draft, branch }: PiTarget,
): MessageId {
  return draft.add({ ...placeOf(entry, branch), role: "user", parts, ...(origin && { origin }) });
}

function addAssistant(message: ForeignObject, entry: PiEntry, { draft, branch }: PiTarget): MessageId {
  const usage = piUsage(message.usage);
  const model = nonEmptyText(message.model);
  return draft.add({
    ...placeOf(entry, branch),
    role: "assistant",
    parts: piAssistantParts(message, draft, pointerTo(entry)),
    ...(model !== undefined && { model }),
    ...(usage && { usage }),
    notes: withoutUndefined<JsonObject>({
      provider: textOf(message.provider),
      api: textOf(message.api),
      stopReason: textOf(message.stopReason),
      errorMessage: textOf(message.errorMessage),
      responseId: textOf(message.responseId),
    }),
  });
}

function addToolResult(message: ForeignObject, entry: PiEntry, { draft, branch }: PiTarget): MessageId {
  const { callId, itemId } = splitCallId(message.toolCallId);
  const part: ToolResultPart = {
    type: "tool-result",
    result: {
      ...draft.calls.answer(callId, textOf(message.toolName), `result-${entry.line}`),
      outcome: message.isError === true ? "failure" : "success",
      content: toolResultContent(message.content, piPart),
    },
    ...(itemId !== undefined && { providerMetadata: { openai: { itemId } } }),
  };
  return draft.add({ ...placeOf(entry, branch), role: "tool", parts: [part] });
}

function addBashExecution(message: ForeignObject, entry: PiEntry, target: PiTarget): MessageId | undefined {
  if (message.excludeFromContext === true) {
    target.draft.skip("bashExecution kept from the model", entry.line);
    return undefined;
  }
  return addUser([{ type: "text", text: bashExecutionText(message) }], "harness", entry, target);
}

function placeOf(entry: PiEntry, branch: string | undefined) {
  const time = entry.fields.timestamp ?? objectOf(entry.fields.message)?.timestamp;
  return {
    id: entry.id ?? `pi-${entry.line}`,
    time,
    source: pointerTo(entry),
    ...(branch !== undefined && { branch }),
  };
}

const pointerTo = (entry: PiEntry): SourcePointer => ({ line: entry.line });
