import type { JsonValue, OpenItem } from "@threadfold/core";
import type { CallReading } from "../reading/call-reading.ts";
import type { Place } from "../reading/place.ts";
import type { Candidate } from "../selection/candidate.ts";
import type { Harvest, HarvestContext, SpanCollector } from "../span-collector.ts";
import { excerpt, statementKey } from "../text/excerpt.ts";
import { sentencesOf } from "../text/sentence.ts";

type Status = OpenItem["status"];

interface Todo {
  readonly text: string;
  readonly status: Status;
  readonly active: boolean;
  readonly place: Place;
}

const LIST_FIELDS = ["todos", "plan", "items", "tasks", "steps", "todo_list", "todoList"];
const TEXT_FIELDS = ["content", "step", "task", "title", "description", "text", "name"];
const CONTEXT = "todo list";
const MAX_TEXT = 200;
const MAX_PLAN_STEPS = 10;

/** Finds the state of the agent's own todo lists, the newest word on each item, and the plan that it last proposed. */
export class TodoCollector implements SpanCollector {
  readonly #todos = new Map<string, Todo>();
  /** Keys of the newest list. */
  #current: ReadonlySet<string> | null = null;
  #plan: readonly string[] | null = null;

  call({ kind, input, place }: CallReading): void {
    if (kind === "plan") this.#plan = planSteps(input) ?? this.#plan;
    if (kind !== "todo") return;
    const list = listOf(input);
    if (list === null) return;
    const todos = list.flatMap((item) => todoOf(item, place));
    for (const todo of todos) this.#todos.set(statementKey(todo.text), todo);
    if (todos.length > 0) this.#current = new Set(todos.map((todo) => statementKey(todo.text)));
  }

  harvest({ previous, messages }: HarvestContext): Harvest {
    const before = new Map(
      (previous?.openItems ?? [])
        .filter((item) => item.context.startsWith(CONTEXT))
        .map((item) => [statementKey(item.description), item]),
    );
    const candidates = [...this.#todos]
      // An unfinished item that a newer list no longer has is no work any more; a finished one was done.
      .filter(([key, todo]) => todo.status === "done" || this.#current?.has(key) === true)
      .flatMap(([key, todo]) => candidateOf(todo, before.get(key), messages.length));
    const changes = this.#plan === null ? [] : [{ op: "set-current-plan", plan: this.#plan } as const];
    return { candidates: [...candidates, ...this.#vanished(before.values())], changes };
  }

  /** Open items of an earlier fold that the newest list no longer has. */
  #vanished(before: Iterable<OpenItem>): readonly Candidate[] {
    if (this.#current === null) return [];
    const current = this.#current;
    const place = [...this.#todos.values()].at(-1)?.place;
    return [...before]
      .filter(
        (item) =>
          item.status === "open" &&
          !this.#todos.has(statementKey(item.description)) &&
          !current.has(statementKey(item.description)),
      )
      .map(({ id, ...item }) => ({
        section: "openItems",
        item: {
          ...item,
          status: "cancelled",
          priority: "medium",
          context: `${CONTEXT}: a later list no longer has it`,
          sources: [...item.sources, ...(place === undefined ? [] : [place.messageId])],
        },
        worth: 0,
        supersedes: id,
      }));
  }
}

function candidateOf(todo: Todo, before: OpenItem | undefined, length: number): readonly Candidate[] {
  if (before?.status === todo.status) return [];
  const item = {
    description: todo.text,
    context: todo.active ? `${CONTEXT}, in progress` : CONTEXT,
    priority: "medium",
    status: todo.status,
    sources: [todo.place.messageId],
  } as const;
  const worth = (todo.status === "open" ? 2.5 : 0.5) + (todo.place.position + 1) / length;
  return [{ section: "openItems", item, worth, ...(before !== undefined && { supersedes: before.id }) }];
}

function listOf(input: JsonValue): readonly JsonValue[] | null {
  if (Array.isArray(input)) return input as readonly JsonValue[];
  if (typeof input !== "object" || input === null) return null;
  const fields = input as Readonly<Record<string, JsonValue | undefined>>;
  for (const name of LIST_FIELDS) if (Array.isArray(fields[name])) return fields[name] as readonly JsonValue[];
  return null;
}

function todoOf(item: JsonValue, place: Place): readonly Todo[] {
  if (typeof item === "string") {
    const box = /^\s*[-*]?\s*\[([ xX-])\]\s*/.exec(item);
    return make(item.slice(box?.[0].length ?? 0), box?.[1]?.toLowerCase() === "x" ? "done" : "open", false, place);
  }
  if (typeof item !== "object" || item === null || Array.isArray(item)) return [];
  const fields = item as Readonly<Record<string, JsonValue | undefined>>;
  const text = TEXT_FIELDS.map((name) => fields[name]).find((value) => typeof value === "string");
  const state = String(
    fields["status"] ?? fields["state"] ?? (fields["done"] === true || fields["completed"] === true ? "done" : ""),
  );
  return make(typeof text === "string" ? text : "", statusOf(state), /progress|active|doing/i.test(state), place);
}

const statusOf = (state: string): Status =>
  /^(?:done|complete|finish|closed|resolved)/i.test(state)
    ? "done"
    : /^(?:cancel|skip|abandon|dropped)/i.test(state)
      ? "cancelled"
      : "open";

const make = (text: string, status: Status, active: boolean, place: Place): readonly Todo[] =>
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
