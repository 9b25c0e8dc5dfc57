import { isUnsettled, type JsonValue, type NewItem, type OpenItem } from "@threadfold/core";
import { excerpt } from "../../text/excerpt.ts";
import type { ResultReading } from "../reading/result-reading.ts";
import type { Place } from "../reading/speech.ts";
import type { Candidate, Harvest, HarvestContext, SpanCollector, SpanStart } from "./span-collector.ts";
import { forgotten, stateAtEnd, statusOf, taskNumber } from "./todo-collector.ts";

interface Task {
  readonly text: string;
  readonly status: OpenItem["status"];
  readonly active: boolean;
  readonly place: Place;
}

const MAX_TEXT = 200;
const TEXT_FIELDS = ["subject", "title", "content", "name", "description"];
const ID_FIELDS = ["taskId", "task_id", "id"];
const CREATED = /#?(\d{1,6})\b/;

/**
 * Finds the state of the agent's own tasks, for tools that create and update them one by one (`TaskCreate`,
 * `TaskUpdate`). The number of a new task is read from the result of the call.
 */
export class TaskCollector implements SpanCollector {
  readonly #tasks = new Map<string, Task>();
  readonly #before: ReadonlyMap<string, OpenItem>;

  constructor({ previous }: SpanStart) {
    const numbered = (previous?.openItems ?? []).flatMap((item): readonly (readonly [string, OpenItem])[] => {
      const number = item.kind === "todo" ? taskNumber(item) : undefined;
      return number === undefined ? [] : [[number, item]];
    });
    this.#before = new Map(numbered);
  }

  result({ call, failed, text, place }: ResultReading): void {
    if (call?.kind !== "task" || failed) return;
    const named = textOf(call.input, ID_FIELDS);
    const number = named ?? CREATED.exec(text.slice(0, 200))?.[1];
    if (number === undefined) return;
    const known = this.#tasks.get(number);
    const before = this.#before.get(number);
    const said = textOf(call.input, TEXT_FIELDS) ?? known?.text ?? before?.description;
    if (said === undefined) return;
    const state = textOf(call.input, ["status", "state"]) ?? "";
    this.#tasks.set(number, {
      text: excerpt(said, MAX_TEXT),
      status: statusOf(state) ?? known?.status ?? before?.status ?? "open",
      active: /progress|active|doing/i.test(state),
      place,
    });
  }

  harvest(context: HarvestContext): Harvest {
    const untouched = [...this.#before].filter(([number]) => !this.#tasks.has(number)).map(([, item]) => item);
    const told = [...this.#tasks].map(([number, task]): Candidate => {
      const before = this.#before.get(number);
      const item = itemOf(number, task, context.lastTurn);
      const worth = (isUnsettled(item) ? 2.5 : 0.5) + (task.place.position + 1) / context.messages.length;
      return { section: "openItems", item, worth, ...(before !== undefined && { supersedes: before.id }) };
    });
    return { candidates: [...told, ...forgotten(untouched, context)] };
  }
}

function itemOf(number: string, task: Task, lastTurn: HarvestContext["lastTurn"]): NewItem<"openItems"> {
  const status = stateAtEnd(task.status, lastTurn);
  const told = status === "asked" ? `${task.active ? "in progress" : "not finished"} at that point` : "in progress";
  const isTold = status === "asked" || (status === "open" && task.active);
  return {
    description: task.text,
    context: `task ${number}${isTold ? `, ${told}` : ""}`,
    priority: "medium",
    status,
    kind: "todo",
    turn: task.place.turn,
    sources: [task.place.messageId],
  };
}

function textOf(input: JsonValue, names: readonly string[]): string | undefined {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
  const fields = input as Readonly<Record<string, JsonValue | undefined>>;
  for (const name of names) {
    const value = fields[name];
    if (typeof value === "number") return String(value);
    if (typeof value === "string" && value.trim() !== "") return value.trim();
  }
  return undefined;
}
