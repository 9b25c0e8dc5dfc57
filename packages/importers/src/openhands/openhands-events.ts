import type { Part, ToolOutcomeStatus } from "@threadfold/core";
import { thinkingBlocks } from "../anthropic-messages/anthropic-parts.ts";
import { openaiPart, reasoningParts, sourceOfUrl } from "../openai-chat/openai-parts.ts";
import { countOf, type ForeignObject, listOf, nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourcePointer, SourceRecord, SourceRecords } from "../reading/source-records.ts";

/** The events found for a run. */
export interface FoundEvents {
  readonly events: readonly { readonly value: unknown; readonly at: SourcePointer }[];
  /** The document around the events; empty when there is none. */
  readonly frame: ForeignObject;
}

const NO_FRAME: ForeignObject = Object.freeze({});

/** The kinds of events by which version 1 is recognized, and the field of each with what was said or done. */
const VERSION_1: Readonly<Record<string, string>> = {
  SystemPromptEvent: "system_prompt",
  MessageEvent: "llm_message",
  ActionEvent: "tool_call",
  ObservationEvent: "observation",
};

/** The properties of a document that may contain the events: a benchmark's run, and the answers of its server. */
const EVENT_LISTS = ["history", "trajectory", "events", "items"] as const;

function eventsIn(value: unknown): { readonly list: readonly unknown[]; readonly path: string } | undefined {
  const document = objectOf(value);
  for (const key of EVENT_LISTS) {
    const list = listOf(document?.[key]);
    if (list?.some((entry) => isEvent(entry) || (listOf(entry) ?? []).some(isEvent))) return { list, path: `/${key}` };
  }
  return undefined;
}

/** Finds the events of a run: the `history` in a line of `output.jsonl`, a list of events, or one event per line. */
export function findEvents({ records }: SourceRecords): FoundEvents | undefined {
  const [first] = records;
  if (first === undefined) return undefined;
  if (records.length === 1 || holdsRun(first.value)) return inRecord(first);
  if (!records.some(({ value }) => isEvent(value))) return undefined;
  return { events: records.map(({ value, line }) => ({ value, at: { line } })), frame: NO_FRAME };
}

/** Checks whether a value is the document of one run. */
export const holdsRun = (value: unknown): boolean => eventsIn(value) !== undefined;

function inRecord({ value, line }: SourceRecord): FoundEvents | undefined {
  const run = eventsIn(value);
  if (run !== undefined) return { events: placed(run.list, line, run.path), frame: objectOf(value) ?? NO_FRAME };
  const list = listOf(value);
  return list?.some(isEvent) === true ? { events: placed(list, line, ""), frame: NO_FRAME } : undefined;
}

/** Older runs pair each action with its observation in a list of two. */
function placed(values: readonly unknown[], line: number, path: string): FoundEvents["events"] {
  return values.flatMap((value, index) => {
    const pair = listOf(value);
    return pair === undefined
      ? [{ value, at: { line, path: `${path}/${index}` } }]
      : placed(
          pair.map((entry) => (Array.isArray(entry) ? undefined : entry)),
          line,
          `${path}/${index}`,
        );
  });
}

function isEvent(value: unknown): boolean {
  const event = objectOf(value);
  if (event === undefined || event.role !== undefined) return false;
  const own = VERSION_1[textOf(event.kind) ?? ""];
  if (own !== undefined) return objectOf(event[own]) !== undefined;
  if (textOf(event.action) !== undefined) return objectOf(event.args) !== undefined;
  return textOf(event.observation) !== undefined && (objectOf(event.extras) ?? textOf(event.content)) !== undefined;
}

/** Returns the text of an observation as the model reads it: what ran, and how it ended according to the log. */
export function observationText(event: ForeignObject): string {
  const content = textOf(event.content) ?? "";
  const metadata = objectOf(objectOf(event.extras)?.metadata);
  return `${textOf(metadata?.prefix) ?? ""}${content}${textOf(metadata?.suffix) ?? ""}`;
}

/**
 * Returns the outcome of an observation: an error or a positive exit code is a failure; -1 means that the command is
 * still running.
 */
export function outcomeOf(event: ForeignObject): ToolOutcomeStatus {
  const exitCode = objectOf(objectOf(event.extras)?.metadata)?.exit_code;
  if (event.observation === "error" || event.observation === "user_rejected") return "failure";
  if (exitCode === -1) return "partial";
  return event.success === false || (countOf(exitCode) ?? 0) > 0 ? "failure" : "success";
}

/** Returns what a recall retrieved: knowledge of the repository and of micro-agents, each as a separate text. */
export function recalledParts(event: ForeignObject): readonly Part[] {
  const extras = objectOf(event.extras);
  const knowledge = (listOf(extras?.microagent_knowledge) ?? []).map((entry) => objectOf(entry)?.content);
  const texts = [event.content, extras?.repo_instructions, extras?.additional_agent_instructions, ...knowledge];
  return texts.flatMap((text): readonly Part[] => {
    const own = nonEmptyText(text);
    return own === undefined ? [] : [{ type: "text", text: own }];
  });
}

/** Returns the text of a message together with its images. */
export function messageParts({ args }: ForeignObject): readonly Part[] {
  const fields = objectOf(args);
  const blocks = listOf(fields?.content);
  if (blocks !== undefined) return [...thoughtParts(fields ?? NO_FRAME), ...blocks.map(openaiPart)];
  const images = (listOf(fields?.image_urls) ?? []).flatMap((url): readonly Part[] => {
    const own = nonEmptyText(url);
    return own === undefined ? [] : [{ type: "image", source: sourceOfUrl(own) }];
  });
  return [{ type: "text", text: textOf(fields?.content) ?? "" }, ...images];
}

/** Returns the thoughts of an answer: the provider's own blocks, which it gets back, or their text. */
export function thoughtParts(message: ForeignObject): readonly Part[] {
  const signed = thinkingBlocks(message);
  return signed.length > 0 ? signed : reasoningParts(message, "openhands");
}

/**
 * Returns an event of version 1 (https://github.com/OpenHands/software-agent-sdk) in the form of earlier ones, and any
 * other event as it is; undefined for one with nothing for the model, such as a state.
 */
export function earlierForm(event: ForeignObject): ForeignObject | undefined {
  if (textOf(event.kind) === undefined || textOf(event.action ?? event.observation) !== undefined) return event;
  const { id, timestamp, kind, source } = event;
  const own = FORMS.get(kind)?.(event);
  return own && { id, timestamp, kind, source, ...own };
}

const FORMS: ReadonlyMap<unknown, (event: ForeignObject) => ForeignObject> = new Map([
  ["SystemPromptEvent", systemForm],
  ["MessageEvent", messageForm],
  ["ActionEvent", actionForm],
  ["ObservationEvent", observationForm],
  [
    "UserRejectObservation",
    (event) => answerForm(event, "user_rejected", `Action rejected: ${textOf(event.rejection_reason) ?? ""}`),
  ],
  ["AgentErrorEvent", (event) => answerForm(event, "error", textOf(event.error) ?? "")],
  [
    "Condensation",
    ({ summary, forgotten_event_ids, summary_offset }) => {
      return { action: "condensation", args: { summary, forgotten_event_ids, summary_offset } };
    },
  ],
  ["CondensationSummaryEvent", ({ summary }) => ({ observation: "condense", content: summary })],
]);

function systemForm({ system_prompt, dynamic_context, tools }: ForeignObject): ForeignObject {
  const described = (listOf(tools) ?? []).filter((tool) => objectOf(objectOf(tool)?.function) !== undefined);
  return { action: "system", args: { content: openaiBlocks([system_prompt, dynamic_context]), tools: described } };
}

/** A message that the harness adds in the name of the user is no message of the user. */
function messageForm({ llm_message, extended_content, source }: ForeignObject): ForeignObject {
  const { role, content, thinking_blocks, reasoning_content } = objectOf(llm_message) ?? NO_FRAME;
  const [blocks, added] = [openaiBlocks(content), openaiBlocks(extended_content)];
  if (role === "user" && source !== "user") return { observation: "message", content: textsOf([...blocks, ...added]) };
  return { action: "message", args: { content: blocks, thinking_blocks, reasoning_content }, added };
}

/** What the harness added to a message of the user, which the model is sent below it. */
export const addedParts = ({ added }: ForeignObject): readonly Part[] => (listOf(added) ?? []).map(openaiPart);

function actionForm(event: ForeignObject): ForeignObject {
  const { thought, thinking_blocks, reasoning_content, tool_name, tool_call_id, llm_response_id } = event;
  const call = objectOf(event.tool_call);
  const { kind: _kind, ...fields } = objectOf(event.action) ?? NO_FRAME;
  const asked = { name: call?.name ?? tool_name, arguments: call === undefined ? fields : call.arguments };
  const tool_calls = [{ id: tool_call_id ?? call?.id, type: "function", function: asked }];
  const message = { content: openaiBlocks(thought), thinking_blocks, reasoning_content, tool_calls };
  return {
    action: "call",
    tool_call_metadata: { tool_call_id, model_response: { id: llm_response_id, choices: [{ message }] } },
  };
}

function observationForm(event: ForeignObject): ForeignObject {
  const { content, output, is_error, metadata } = objectOf(event.observation) ?? NO_FRAME;
  const blocks = [...openaiBlocks(content), ...openaiBlocks(event.extended_content)];
  const isPlain = blocks.every((block) => objectOf(block)?.type === "text");
  const shown = blocks.length === 0 ? (textOf(output) ?? "") : isPlain ? textsOf(blocks) : blocks;
  return { ...answerForm(event, is_error === true ? "error" : "call", shown), extras: { metadata } };
}

const answerForm = ({ tool_call_id }: ForeignObject, observation: string, content: unknown): ForeignObject => ({
  ...{ observation, content },
  tool_call_metadata: { tool_call_id },
});

/** Converts texts and images of version 1 to blocks of the OpenAI Chat API. */
function openaiBlocks(content: unknown): readonly unknown[] {
  return (listOf(content) ?? []).flatMap((value): readonly unknown[] => {
    const { text, image_urls: urls } = objectOf(value) ?? NO_FRAME;
    if (textOf(text) !== undefined) return [{ type: "text", text }];
    return (listOf(urls) ?? []).map((url) => ({ type: "image_url", image_url: { url } }));
  });
}

const textsOf = (blocks: readonly unknown[]): string =>
  blocks.flatMap((block) => textOf(objectOf(block)?.text) ?? []).join("\n");
