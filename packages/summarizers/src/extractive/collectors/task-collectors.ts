import {
  isStepList,
  isUnsettled,
  type JsonObject,
  type JsonValue,
  type MessageId,
  type NewItem,
  type OpenItem,
} from "@threadfold/core";
import { excerpt, statementKey } from "../../text/excerpt.ts";
import { type CallReading, todosIn } from "../reading/call-reading.ts";
import type { Refusal, ResultReading } from "../reading/result-reading.ts";
import type { Place } from "../reading/speech.ts";
import { sentencesOf } from "../text/sentence.ts";
import type { Candidate, Harvest, HarvestContext, SpanCollector, SpanStart } from "./span-collector.ts";

interface Todo {
  readonly text: string;
  readonly status: OpenItem["status"];
  readonly active: boolean;
  readonly place: Place;
}

interface NewestList {
  readonly keys: ReadonlySet<string>;
  readonly place: Place;
  readonly isWhole: boolean;
}

const LIST_FIELDS = ["todos", "plan", "items", "tasks", "steps", "todo_list", "todoList", "task_list"];
/** Fields in which a list is text, one item a line. */
const TEXT_LIST_FIELDS = ["todos", "content"];
const TEXT_FIELDS = ["content", "step", "task", "title", "description", "text", "name"];
const REST_CONTEXT = "todo list, the rest";
const DROPPED = "todo list: a later list no longer has it";
const MAX_TEXT = 200;
const MAX_PLAN_STEPS = 10;
/** A plan lapses when a span covers more than this many turns: it was carried out or forgotten. */
const PLAN_TURNS = 3;
/** The most unfinished items of a list that are shown individually; the rest are combined in one line. */
const MAX_SHOWN = 10;
const MAX_REST = 240;
/** The share of words that make two items the same item with a new title. */
const SAME_SHARE = 0.5;

/** Finds the latest state of each item of the agent's own todo lists, and the plan that it last proposed. */
export class TodoCollector implements SpanCollector {
  readonly #todos = new Map<string, Todo>();
  /**
   * Keys of the newest list, and where it was written. It is whole unless only additions to an earlier one were seen.
   */
  #current: NewestList | null = null;
  #plan: readonly string[] | null = null;
  /** The plan before the newest one, which is restored if that is refused. */
  #planBefore: readonly string[] | null = null;

  call({ kind, input, place }: CallReading): void {
    if (kind === "plan") [this.#plan, this.#planBefore] = [planSteps(input) ?? this.#plan, this.#plan];
    if (kind !== "todo") return;
    const list = listOf(input) ?? writtenList(input);
    if (list === null || fieldOf(input, ["command"]) === "view") return;
    const todos = list.flatMap((item) => todoOf(item, place));
    // A list in an unknown format is ignored; an empty list clears the current one.
    if (todos.length === 0 && list.length > 0) return;
    for (const todo of todos) this.#todos.set(statementKey(todo.text), todo);
    const adds = isAddition(input);
    const kept = adds ? (this.#current?.keys ?? []) : [];
    const keys = new Set([...kept, ...todos.map((todo) => statementKey(todo.text))]);
    this.#current = { keys, place, isWhole: !adds || this.#current?.isWhole === true };
  }

  refusal({ call }: Refusal): void {
    if (call.kind === "plan") this.#plan = this.#planBefore;
  }

  harvest(context: HarvestContext): Harvest {
    const before = new Map(
      (context.previous?.openItems ?? [])
        .filter((item) => item.kind === "todo" && taskNumber(item) === undefined)
        .map((item) => [statementKey(item.description), item]),
    );
    const isOver = context.previous?.currentPlan != null && turnsIn(context) > PLAN_TURNS;
    const changes = this.#plan === null && !isOver ? [] : [{ op: "set-current-plan", plan: this.#plan } as const];
    const list = this.#current;
    const candidates = list === null ? forgotten([...before.values()], context) : this.#listed(list, before, context);
    return { candidates, changes };
  }

  /** The state of the newest list, and of items that it no longer has. */
  #listed(
    { keys, place, isWhole }: NewestList,
    before: ReadonlyMap<string, OpenItem>,
    { messages, lastTurn }: HarvestContext,
  ): readonly Candidate[] {
    // An unfinished item that a newer list omits is no longer work; a settled one stays done or cancelled.
    const listed = [...this.#todos].filter(([key, { status }]) => status !== "open" || keys.has(key));
    const unfinished = listed.filter(([, { status }]) => status === "open").map(([, todo]) => todo);
    const rest = new Set(unfinished.length > MAX_SHOWN + 1 ? unfinished.slice(MAX_SHOWN) : []);
    const shown = listed.filter(([, todo]) => !rest.has(todo));
    const keysShown = new Set(shown.map(([key]) => key));
    const gone = [...before].filter(([key, item]) => isWhole && isUnsettled(item) && !keysShown.has(key));
    const restBefore = rest.size === 0 ? undefined : gone.find(([, { context }]) => context === REST_CONTEXT)?.[1];
    const earlier = new Map(before);
    for (const [key, item] of gone) {
      const title = shown.find(([known]) => !earlier.has(known) && isRetitled(key, known))?.[0];
      if (title !== undefined) earlier.set(title, item);
      else earlier.delete(key);
    }
    const taken = new Set([...earlier.values(), restBefore]);
    return [
      ...shown.flatMap(([key, todo]) => candidateOf(todo, earlier.get(key), place, messages.length, lastTurn)),
      ...restOf([...rest], restBefore, place, lastTurn),
      ...gone.filter(([, item]) => !taken.has(item)).map(([, item]) => lapsed(item, DROPPED, [place.messageId])),
    ];
  }
}

const turnsIn = ({ messages }: HarvestContext): number => (messages.at(-1)?.turn ?? 0) - (messages[0]?.turn ?? 0);

function candidateOf(
  todo: Todo,
  before: OpenItem | undefined,
  listed: Place,
  length: number,
  lastTurn: HarvestContext["lastTurn"],
): readonly Candidate[] {
  if (before !== undefined && !isUnsettled(before) && before.status === todo.status) return [];
  const status = stateAtEnd(todo.status, lastTurn);
  const item: NewItem<"openItems"> = {
    description: todo.text,
    context: contextOf(status, todo.active),
    priority: "medium",
    status,
    kind: "todo",
    turn: status === "open" || status === "asked" ? listed.turn : todo.place.turn,
    sources: [todo.place.messageId],
  };
  const worth = (isUnsettled(item) ? 2.5 : 0.5) + (todo.place.position + 1) / length;
  return [{ section: "openItems", item, worth, ...(before !== undefined && { supersedes: before.id }) }];
}

/** The context of an item; its kind already says that it is on a list. */
function contextOf(status: OpenItem["status"], active: boolean): string {
  if (status === "asked") return `${active ? "in progress" : "not finished"} at that point`;
  return active ? "in progress" : "";
}

/** The items of a long list that are not shown individually, in one line. */
function restOf(
  rest: readonly Todo[],
  before: OpenItem | undefined,
  { messageId, turn }: Place,
  lastTurn: HarvestContext["lastTurn"],
): readonly Candidate[] {
  if (rest.length === 0) return [];
  const item: NewItem<"openItems"> = {
    description: excerpt(`${rest.length} more: ${rest.map(({ text }) => text).join("; ")}`, MAX_REST),
    context: REST_CONTEXT,
    priority: "medium",
    status: stateAtEnd("open", lastTurn),
    kind: "todo",
    turn,
    sources: [messageId],
  };
  return [{ section: "openItems", item, worth: 2.4, ...(before !== undefined && { supersedes: before.id }) }];
}

/** True for two keys of the same item with different titles. */
function isRetitled(key: string, other: string): boolean {
  const words = new Set(key.split(" "));
  const others = new Set(other.split(" "));
  const shared = [...words].filter((word) => others.has(word)).length;
  return shared / Math.min(words.size, others.size) >= SAME_SHARE;
}

/** True for a call that only lists additions to a list, as some tools do. */
const isAddition = (input: JsonValue): boolean =>
  typeof input === "object" && input !== null && !Array.isArray(input) && (input as JsonObject)["merge"] === true;

function listOf(input: JsonValue): readonly JsonValue[] | null {
  if (Array.isArray(input)) return input as readonly JsonValue[];
  if (typeof input !== "object" || input === null) return null;
  const fields = input as Readonly<Record<string, JsonValue | undefined>>;
  const named = LIST_FIELDS.map((name) => fields[name]).find(Array.isArray);
  return (named ?? Object.values(fields).find(isStepList) ?? null) as readonly JsonValue[] | null;
}

function writtenList(input: JsonValue): readonly JsonValue[] | null {
  const items = todosIn(fieldOf(input, TEXT_LIST_FIELDS) ?? "");
  return items.length === 0 ? null : items;
}

function todoOf(item: JsonValue, place: Place): readonly Todo[] {
  if (typeof item === "string") {
    const box = /^\s*(?:[-*]\s*)?\[([ xX-])\]\s*/.exec(item);
    return make(item.slice(box?.[0].length ?? 0), box?.[1]?.toLowerCase() === "x" ? "done" : "open", false, place);
  }
  if (typeof item !== "object" || item === null || Array.isArray(item)) return [];
  const fields = item as Readonly<Record<string, JsonValue | undefined>>;
  const text = TEXT_FIELDS.map((name) => fields[name]).find((value) => typeof value === "string");
  const stated = fields["status"] ?? fields["state"];
  const isDone = fields["done"] === true || fields["completed"] === true;
  const state = typeof stated === "string" ? stated : isDone ? "done" : "";
  return make(
    typeof text === "string" ? text : "",
    statusOf(state) ?? "open",
    /progress|active|doing/i.test(state),
    place,
  );
}

const make = (text: string, status: OpenItem["status"], active: boolean, place: Place): readonly Todo[] =>
  text.trim() === "" ? [] : [{ text: excerpt(text, MAX_TEXT), status, active, place }];

function planSteps(input: JsonValue): readonly string[] | null {
  const list = listOf(input);
  const texts = list?.flatMap((item) =>
    todoOf(item, { messageId: "" as Place["messageId"], position: 0, turn: 0 }).map(({ text }) => text),
  );
  if (texts !== undefined && texts.length > 0) return texts.slice(0, MAX_PLAN_STEPS);
  if (typeof input !== "object" || input === null || Array.isArray(input)) return null;
  const text = (input as Readonly<Record<string, JsonValue | undefined>>)["plan"];
  if (typeof text !== "string") return null;
  const steps = text
    .split("\n")
    .filter((line) => /^\s*(?:\d+[.)]|[-*])\s+\S/.test(line))
    .flatMap((line) => sentencesOf(line).slice(0, 1));
  return (steps.length > 0 ? steps : sentencesOf(text))
    .slice(0, MAX_PLAN_STEPS)
    .map((step) => excerpt(step.text, MAX_TEXT));
}

const FORGOTTEN = "not mentioned again before its turn ended";
/** The context of a numbered task; later folds recognize the task by its number. */
const NUMBERED = /^task (\S+?)(?:,|:|$)/;

/** Returns the status that a todo tool's own word stands for; undefined for an empty one. */
function statusOf(state: string): OpenItem["status"] | undefined {
  if (/^(?:done|complete|finish|closed|resolved)/i.test(state)) return "done";
  if (/^(?:cancel|skip|abandon|dropped|deleted)/i.test(state)) return "cancelled";
  return state === "" ? undefined : "open";
}

/**
 * Returns an item's status at the end of a span. If anything follows the span, the outcome of an open item is there.
 */
const stateAtEnd = (status: OpenItem["status"], lastTurn: HarvestContext["lastTurn"]): OpenItem["status"] =>
  status === "open" && lastTurn !== undefined ? "asked" : status;

/** Returns the number that a tool gave a task; undefined for items of lists. */
const taskNumber = ({ context }: OpenItem): string | undefined => NUMBERED.exec(context)?.[1];

/** Lapses items that nobody mentioned again after their turn was over. */
function forgotten(before: readonly OpenItem[], { messages }: HarvestContext): readonly Candidate[] {
  const now = messages.at(-1)?.turn ?? 0;
  return before
    .filter((item) => isUnsettled(item) && item.turn !== undefined && now > item.turn + 1)
    .map((item) => lapsed(item, `${(item.context.split(",")[0] as string).trim()}: ${FORGOTTEN}`, []));
}

/** An item that lapses, with the reason. */
function lapsed({ id, ...item }: OpenItem, context: string, places: readonly MessageId[]): Candidate {
  const sources = [...new Set([...item.sources, ...places])];
  return {
    section: "openItems",
    item: { ...item, status: "lapsed", priority: "medium", context, sources },
    worth: 0,
    supersedes: id,
  };
}

const TASK_FIELDS = ["subject", "title", "content", "name", "description"];
const ID_FIELDS = ["taskId", "task_id", "id"];
const CREATED = /#?(\d{1,6})\b/;

/**
 * Finds the state of the agent's own tasks, for tools that create and update them one by one (`TaskCreate`,
 * `TaskUpdate`). The number of a new task is read from the result of the call.
 */
export class TaskCollector implements SpanCollector {
  readonly #tasks = new Map<string, Todo>();
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
    const named = fieldOf(call.input, ID_FIELDS);
    const number = named ?? CREATED.exec(text.slice(0, 200))?.[1];
    if (number === undefined) return;
    const known = this.#tasks.get(number);
    const before = this.#before.get(number);
    const said = fieldOf(call.input, TASK_FIELDS) ?? known?.text ?? before?.description;
    if (said === undefined) return;
    const state = fieldOf(call.input, ["status", "state"]) ?? "";
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
      const item = taskItem(number, task, context.lastTurn);
      const worth = (isUnsettled(item) ? 2.5 : 0.5) + (task.place.position + 1) / context.messages.length;
      return { section: "openItems", item, worth, ...(before !== undefined && { supersedes: before.id }) };
    });
    return { candidates: [...told, ...forgotten(untouched, context)] };
  }
}

function taskItem(number: string, task: Todo, lastTurn: HarvestContext["lastTurn"]): NewItem<"openItems"> {
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

function fieldOf(input: JsonValue, names: readonly string[]): string | undefined {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
  const fields = input as Readonly<Record<string, JsonValue | undefined>>;
  for (const name of names) {
    const value = fields[name];
    if (typeof value === "number") return String(value);
    if (typeof value === "string" && value.trim() !== "") return value.trim();
  }
  return undefined;
}
