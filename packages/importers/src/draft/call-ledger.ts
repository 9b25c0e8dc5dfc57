import { asToolCallId, type ToolCallId } from "@threadfold/core";
import { nonEmptyText } from "../reading/foreign-value.ts";
import { shortId } from "./short-id.ts";

/**
 * Remembers which tool each call asked for, so that results get their tool's name, and gives ids to calls that have
 * none. Ids may be reused: the newest call with an id counts.
 */
export class CallLedger {
  readonly #names = new Map<ToolCallId, string>();
  /** Calls without an id of their own that no result has answered yet, oldest first. */
  readonly #unnamed: { readonly callId: ToolCallId; readonly toolName: string }[] = [];

  /** Notes a call. `standIn` becomes its id when the log gives none. */
  open(id: unknown, toolName: string, standIn: string): ToolCallId {
    const given = nonEmptyText(id);
    const callId = asToolCallId(shortId(given ?? standIn));
    if (given === undefined) this.#unnamed.push({ callId, toolName });
    this.#names.set(callId, toolName);
    return callId;
  }

  /**
   * The call that a result answers and the tool's name. A result without an id answers the oldest open call without
   * one, of the same tool where the log names it.
   */
  answer(
    id: unknown,
    toolName: string | undefined,
    standIn: string,
  ): { readonly callId: ToolCallId; readonly toolName: string } {
    const given = nonEmptyText(id);
    const callId = given === undefined ? this.#takeUnnamed(toolName, standIn) : asToolCallId(shortId(given));
    return { callId, toolName: this.#names.get(callId) ?? toolName ?? "unknown" };
  }

  #takeUnnamed(toolName: string | undefined, standIn: string): ToolCallId {
    const index = this.#unnamed.findIndex((call) => toolName === undefined || call.toolName === toolName);
    if (index === -1) return asToolCallId(shortId(standIn));
    const [call] = this.#unnamed.splice(index, 1);
    return call?.callId ?? asToolCallId(shortId(standIn));
  }
}
