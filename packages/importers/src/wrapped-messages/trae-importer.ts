import { type JsonValue, type Part, type ToolResultPart, toWellFormedJson } from "@threadfold/core";
import { countOf, type ForeignObject, listOf, nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourcePointer } from "../reading/source-records.ts";
import { documentThreads } from "../reading/source-threads.ts";
import { newestModel, type SessionDraft } from "../session/session-draft.ts";
import { openingOf, seedOf } from "../session/session-ids.ts";
import type { SessionImporter } from "../session/session-importer.ts";

/**
 * Imports trajectories of Trae Agent, as written by `trae_agent/utils/trajectory_recorder.py` of
 * https://github.com/bytedance/trae-agent. Each entry of `llm_interactions` has what was new in a request, and the
 * answer; `agent_steps` repeats the same.
 */
export const traeImporter: SessionImporter = {
  format: "trae",
  detect: ({ records }) => (isTrajectory(records[0]?.value) ? 1 : 0),
  threads: (source) => documentThreads(source, isTrajectory),
  import({ source, records: [first] }, draft) {
    const frame = objectOf(first?.value) ?? {};
    const turns = turnsOf(frame, first?.line ?? 0);
    const opening = openingOf(
      source,
      frame,
      turns.map(({ value }) => value),
      (value) => turns.some((turn) => turn.isAnswer && turn.value === value),
    );
    draft.startAt(frame.start_time);
    for (const [index, turn] of turns.entries()) addTurn(turn, `${seedOf(opening)}-${index}`, draft);
    const model = newestModel(draft.messages) ?? nonEmptyText(frame.model)?.toWellFormed();
    return { opening, records: turns.length, system: [], tools: [], ...(model !== undefined && { model }) };
  },
};

const isTrajectory = (value: unknown): boolean => {
  const document = objectOf(value);
  return listOf(document?.llm_interactions) !== undefined && textOf(document?.task) !== undefined;
};

/** A message that was sent, or an answer. */
interface Turn {
  readonly value: unknown;
  readonly at: SourcePointer;
  readonly isAnswer: boolean;
  readonly time: unknown;
  /** True for an input message that is repeated because a request sent the whole history again. */
  readonly isRepeated: boolean;
}

function turnsOf(frame: ForeignObject, line: number): readonly Turn[] {
  const turns: Turn[] = [];
  let begun: string | undefined;
  for (const [index, interaction] of (listOf(frame.llm_interactions) ?? []).entries()) {
    const { input_messages: input, response, timestamp: time } = objectOf(interaction) ?? {};
    const path = `/llm_interactions/${index}`;
    const messages = listOf(input) ?? [];
    const [opening] = messages;
    const beginning = opening === undefined ? undefined : JSON.stringify(toWellFormedJson(opening));
    const known = begun !== undefined && begun === beginning ? turns.filter(({ isRepeated }) => !isRepeated).length : 0;
    begun ??= beginning;
    for (const [place, value] of messages.entries())
      turns.push({
        value,
        at: { line, path: `${path}/input_messages/${place}` },
        isAnswer: false,
        time,
        isRepeated: place < known,
      });
    turns.push({ value: response, at: { line, path: `${path}/response` }, isAnswer: true, time, isRepeated: false });
  }
  return turns;
}

function addTurn({ value, at, isAnswer, time, isRepeated }: Turn, id: string, draft: SessionDraft): void {
  if (isRepeated) return draft.skip("repeated", at);
  const message = objectOf(value);
  const role = isAnswer ? "assistant" : message?.role;
  if (message === undefined || (role !== "system" && role !== "user" && role !== "assistant" && role !== "tool"))
    return draft.reportMalformed(at, "it is not a message with a known role");
  const common = { id, source: at, time };
  const result = readResult(message.tool_result, id, draft);
  if (result !== undefined) {
    draft.add({ ...common, role: "tool", parts: [result] });
    return;
  }
  const calls =
    role === "assistant"
      ? [...(listOf(message.tool_calls) ?? []), ...(message.tool_call ? [message.tool_call] : [])]
      : [];
  const text = textOf(message.content) ?? "";
  const parts: readonly Part[] = [
    ...(text === "" ? [] : [{ type: "text", text } as const]),
    ...calls.map((call, index) => readCall(call, `${id}-${index}`, draft)),
  ];
  const model = isAnswer ? nonEmptyText(message.model) : undefined;
  const usage = isAnswer ? usageOf(message.usage) : undefined;
  draft.add({
    ...{ ...common, role: role === "tool" ? "user" : role, parts },
    ...(model !== undefined && { model }),
    ...(usage !== undefined && { usage }),
  });
}

function readCall(value: unknown, standIn: string, draft: SessionDraft): Part {
  const call = objectOf(value) ?? {};
  const toolName = textOf(call.name) ?? "";
  const callId = draft.calls.open(call.call_id, toolName, standIn);
  return { type: "tool-call", callId, toolName, input: (call.arguments ?? {}) as JsonValue };
}

/** Reads a tool's output followed by its error, if any. */
function readResult(value: unknown, standIn: string, draft: SessionDraft): ToolResultPart | undefined {
  const result = objectOf(value);
  if (result === undefined) return undefined;
  const said = [textOf(result.result), textOf(result.error)].filter((text) => text !== undefined && text !== "");
  return {
    type: "tool-result",
    result: {
      ...draft.calls.answer(result.call_id, undefined, `${standIn}-result`),
      outcome: result.success === false ? "failure" : "success",
      content: { type: "text", text: said.join("\n") },
    },
  };
}

function usageOf(value: unknown) {
  const usage = objectOf(value) ?? {};
  const [inputTokens, outputTokens] = [countOf(usage.input_tokens), countOf(usage.output_tokens)];
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const [read, written] = [countOf(usage.cache_read_input_tokens), countOf(usage.cache_creation_input_tokens)];
  const reasoningTokens = countOf(usage.reasoning_tokens);
  return {
    inputTokens,
    outputTokens,
    ...(read !== undefined && { cacheReadTokens: read }),
    ...(written !== undefined && { cacheWriteTokens: written }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
  };
}
