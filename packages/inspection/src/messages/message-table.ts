import { type AgentThread, actionOf, type CompactionPlan, type Message, spanStart } from "@threadfold/core";
import type { RecordTable } from "../plans/record-table.ts";
import type { LoggedMessage, MessagePlace, MessageState } from "../rows/message-row.ts";
import { type Revision, Table } from "../rows/table.ts";

/** Values of a message's row that do not come from the message. */
export interface MessageContext {
  /** Returns the tokens of the message as logged. */
  tokensOf(ordinal: number): number;
  /** Returns the beginning of its text, on one line. */
  titleOf(message: Message): Promise<string>;
}

const NO_MESSAGE: LoggedMessage = {
  id: "",
  role: "user",
  turn: 0,
  step: 0,
  at: null,
  tokens: 0,
  tools: [],
  failed: false,
  title: "",
};

const NO_PLACE: MessagePlace = { state: "include", record: -1, firstCall: -1 };

/** The messages of a log, each at the index of its ordinal. */
export class MessageTable {
  readonly logged: Table<LoggedMessage>;
  /** What the newest plan and the calls do with each message. */
  readonly places: Table<MessagePlace>;
  /** Names of tools, in order of first occurrence. */
  readonly tools: string[] = [];
  readonly #toolPlaces = new Map<string, number>();
  /** Number of messages that have been placed, and the plan they were placed under. */
  #placed = 0;
  #plan: CompactionPlan | null = null;

  constructor(revision: Revision) {
    this.logged = new Table(NO_MESSAGE, revision);
    this.places = new Table(NO_PLACE, revision);
  }

  /** Adds the messages that were appended since. */
  async take(thread: AgentThread, context: MessageContext): Promise<void> {
    for (const message of thread.messagesBetween(this.logged.length)) {
      const { id, role, turn, step, createdAt, ordinal } = message;
      const at = Date.parse(createdAt);
      this.places.push(NO_PLACE);
      this.logged.push({
        ...NO_MESSAGE,
        ...{ id, role, turn, step, at: Number.isNaN(at) ? null : at },
        tokens: context.tokensOf(ordinal),
        tools: this.#toolsOf(message),
        failed: message.parts.some((part) => part.type === "tool-result" && part.result.outcome !== "success"),
        title: await context.titleOf(message),
      });
    }
  }

  /** Records what the newest plan does with messages: all of them under a new plan, else only those that were added. */
  place(thread: AgentThread, plan: CompactionPlan | null, records: RecordTable): void {
    const from = plan === this.#plan ? this.#placed : 0;
    for (const { id, ordinal, branch } of thread.messagesBetween(from)) {
      const { action, record } =
        plan === null ? { action: "include" as const, record: null } : actionOf(plan, id, ordinal);
      const state: MessageState = branch === undefined ? action : "hidden-branch";
      this.places.set(ordinal, "state", state);
      this.places.set(ordinal, "record", record === null ? -1 : records.placeOf(record.action, spanStart(record.span)));
    }
    this.#plan = plan;
    this.#placed = thread.length;
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
