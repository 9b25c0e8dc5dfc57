import type { JsonValue, ToolCallId, ToolCallPart, ToolResultPart } from "@threadfold/core";
import { providerOptions } from "../draft/provider-options.ts";
import type { SessionDraft } from "../draft/session-draft.ts";
import { utcTime } from "../draft/utc-time.ts";
import { type ForeignObject, listOf, objectOf, textOf } from "../reading/foreign-value.ts";
import { readFile } from "./opencode-parts.ts";
import type { OpencodeRow } from "./opencode-row.ts";

/** How a call ended that has an answer. */
const ENDED = new Set(["completed", "error"]);

/** A tool part of OpenCode: the call, and its result once there is one. Both stand in one part, so they never part. */
export interface OpencodeTool {
  readonly call: ToolCallPart;
  readonly result: ToolResultPart | undefined;
  /** When OpenCode began to send a placeholder for the result; the log still has it. */
  readonly prunedAt: string | undefined;
}

export function opencodeTool({ data, at, id }: OpencodeRow, draft: SessionDraft): OpencodeTool {
  const state = objectOf(data.state) ?? {};
  const toolName = textOf(data.tool) ?? "";
  const callId = draft.calls.open(data.callID, toolName, `call-${id ?? at.line}`);
  const time = objectOf(state.time);
  const call: ToolCallPart = {
    type: "tool-call",
    callId,
    toolName,
    input: (state.input ?? {}) as JsonValue,
    ...providerOptions(data.metadata),
  };
  const result = ENDED.has(textOf(state.status) ?? "") ? readResult(callId, toolName, state, time) : undefined;
  return { call, result, prunedAt: utcTime(time?.compacted) };
}

function readResult(
  callId: ToolCallId,
  toolName: string,
  state: ForeignObject,
  time: ForeignObject | undefined,
): ToolResultPart {
  const failed = state.status === "error";
  const text = (failed ? textOf(state.error) : textOf(state.output)) ?? "";
  const attachments = (listOf(state.attachments) ?? []).flatMap((file) => readFile(objectOf(file) ?? {}) ?? []);
  const [startedAt, completedAt] = [utcTime(time?.start), utcTime(time?.end)];
  return {
    type: "tool-result",
    result: {
      callId,
      toolName,
      outcome: failed ? "failure" : "success",
      content:
        attachments.length === 0
          ? { type: "text", text }
          : { type: "blocks", blocks: [{ type: "text", text }, ...attachments] },
      ...(startedAt !== undefined && { startedAt }),
      ...(completedAt !== undefined && { completedAt }),
    },
  };
}
