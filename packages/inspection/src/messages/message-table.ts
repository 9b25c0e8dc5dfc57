import { type AgentThread, actionOf, type CompactionPlan, type Message, spanStart } from "@threadfold/core";
import type { RecordTable } from "../plans/record-table.ts";
import type { Showing } from "../requests/request-tables.ts";
import type { MessageRow, MessageState } from "../rows/message-row.ts";
import { Table } from "../rows/table.ts";

/** What a message's row says besides the message. */
export interface MessageContext {
  /** Tokens of the message as it is logged. */
  tokensOf(ordinal: number): number;
  /** The beginning of its text, on one line. */
  titleOf(message: Message): Promise<string>;
}

const NO_MESSAGE: MessageRow = {
  id: "",
  role: "user",
  turn: 0,
  step: 0,
  at: null,
  tokens: 0,
  tools: [],
  failed: false,
  state: "include",
  record: -1,
  firstCall: -1,
  lastCall: -1,
  title: "",
};

/** The messages of a log, each at the place of its ordinal. */
export class MessageTable {
  readonly rows = new Table<MessageRow>(NO_MESSAGE);
  /** Names of tools, in the order in which they first occur. */
  readonly tools: string[] = [];
  readonly #toolPlaces = new Map<string, number>();

  /** Takes the messages that were added since. */
  async take(thread: AgentThread, context: MessageContext): Promise<void> {
    for (const message of thread.messagesBetween(this.rows.length)) {
      const { id, role, turn, step, createdAt, ordinal } = message;
      const at = Date.parse(createdAt);
      this.rows.push({
        ...NO_MESSAGE,
        ...{ id, role, turn, step, at: Number.isNaN(at) ? null : at },
        tokens: context.tokensOf(ordinal),
        tools: this.#toolsOf(message),
        failed: message.parts.some((part) => part.type === "tool-result" && part.result.outcome !== "success"),
        title: await context.titleOf(message),
      });
    }
  }

  /** Says of every message what the newest plan does with it, and which calls showed it. */
  place(
    thread: AgentThread,
    plan: CompactionPlan | null,
    records: RecordTable,
    showing: (id: Message["id"]) => Showing,
  ): void {
    for (const { id, ordinal, branch } of thread.messages) {
      const { action, record } =
        plan === null ? { action: "include" as const, record: null } : actionOf(plan, id, ordinal);
      const state: MessageState = branch === undefined ? action : "hidden-branch";
      const { first, last } = showing(id);
      this.rows.set(ordinal, "state", state);
      this.rows.set(ordinal, "record", record === null ? -1 : records.placeOf(record.action, spanStart(record.span)));
      this.rows.set(ordinal, "firstCall", first);
      this.rows.set(ordinal, "lastCall", last);
    }
  }

  #toolsOf({ parts }: Message): readonly number[] {
    const names = parts.flatMap((part) => {
      if (part.type === "tool-call") return [part.toolName];
      return part.type === "tool-result" ? [part.result.toolName] : [];
    });
    return names.length === 0 ? NONE : [...new Set(names)].map((name) => this.#placeOf(name));
  }

  #placeOf(name: string): number {
    const known = this.#toolPlaces.get(name);
    if (known !== undefined) return known;
    const place = this.tools.push(name) - 1;
    this.#toolPlaces.set(name, place);
    return place;
  }
}

const NONE: readonly number[] = Object.freeze([]);
