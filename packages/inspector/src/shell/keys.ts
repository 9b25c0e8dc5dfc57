import type { Inspector } from "../state/inspector.ts";
import { VIEWS } from "../state/place.ts";
import { type KeyedList, keyedList } from "../state/row-keys.ts";

/** Every key that the page handles and what it does: the page's help shows this list. */
export const KEYS: readonly (readonly [keys: readonly string[], does: string])[] = [
  [["j", "k"], "next and previous row"],
  [["g", "G"], "first and last row"],
  [["]", "["], "unfold and fold the row"],
  [["Enter"], "open what the row leads to: the call's request, the message's trail"],
  [["J", "K"], "next and previous call"],
  [["f", "F"], "next and previous fold"],
  [["b", "B"], "next and previous cache break"],
  [["d"], "difference from the previous call, and back"],
  [["l"], "the log at this call, and back"],
  [["w"], "why: the trail of the chosen message"],
  [["/"], "search"],
  [["1", "–", "9"], "the views, in tab order"],
  [["?"], "these keys"],
];

/** Actions that concern the page itself rather than its data. */
export interface PageActions {
  search(): void;
  help(): void;
}

type KeyAction = (inspector: Inspector, page: PageActions) => void;

const ACTIONS: Readonly<Record<string, KeyAction>> = {
  j: () => moveRow((row) => row + 1),
  k: () => moveRow((row) => row - 1),
  ArrowDown: () => moveRow((row) => row + 1),
  ArrowUp: () => moveRow((row) => row - 1),
  g: () => moveRow(() => 0),
  G: () => moveRow((_, length) => length - 1),
  PageDown: () => moveRow((row) => row + 20),
  PageUp: () => moveRow((row) => row - 20),
  Home: () => moveRow(() => 0),
  End: () => moveRow((_, length) => length - 1),
  "]": () => withRow((list) => list.unfold?.(list.chosen, true)),
  "[": () => withRow((list) => list.unfold?.(list.chosen, false)),
  Enter: () => withRow((list) => list.enter?.(list.chosen)),
  J: (inspector) => moveCall(inspector, inspector.call.value + 1),
  K: (inspector) => moveCall(inspector, inspector.call.value - 1),
  f: (inspector) => moveCall(inspector, next(foldCalls(inspector), inspector.call.value)),
  F: (inspector) => moveCall(inspector, previous(foldCalls(inspector), inspector.call.value)),
  b: (inspector) => moveCall(inspector, next(breakCalls(inspector), inspector.call.value)),
  B: (inspector) => moveCall(inspector, previous(breakCalls(inspector), inspector.call.value)),
  d: (inspector) => toggleMode(inspector, "difference"),
  l: (inspector) => toggleMode(inspector, "log"),
  w: (inspector) => inspector.go({ view: "why" }),
  "/": (_, page) => page.search(),
  "?": (_, page) => page.help(),
  ...Object.fromEntries(VIEWS.map((view, at) => [String(at + 1), (inspector: Inspector) => inspector.go({ view })])),
};

/** Makes the page's keys work wherever the focus is, except in an element that takes the key itself. */
export function followKeys(inspector: Inspector, page: PageActions): void {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const action = Object.hasOwn(ACTIONS, event.key) ? ACTIONS[event.key] : undefined;
    if (action === undefined || takesKey(event)) return;
    event.preventDefault();
    action(inspector, page);
  });
}

/**
 * Checks whether the focused element takes the key: a text field takes every key, a button or link takes Enter, and a
 * scrolling element that is not a list takes the scroll keys.
 */
function takesKey({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest("input:not([type=checkbox]), textarea, select, dialog[open]") !== null) return true;
  if (key === "Enter") return target.closest("button, a, summary") !== null;
  const scrolls = /^(Arrow|Page|Home|End)/.test(key);
  return scrolls && target.closest("[role=grid]") === null && target !== document.body;
}

function withRow(use: (list: KeyedList) => void): void {
  const list = keyedList.value;
  if (list !== null && list.length > 0) use(list);
}

const moveRow = (to: (row: number, length: number) => number): void =>
  withRow((list) => list.choose(Math.min(list.length - 1, Math.max(0, to(list.chosen, list.length)))));

function moveCall({ index, move }: Inspector, call: number): void {
  const last = index.value.calls.at.length - 1;
  // At the newest call, the page keeps following the newest as more are made.
  if (last >= 0) move({ call: call >= last ? null : Math.max(0, call) });
}

const foldCalls = ({ index }: Inspector): readonly number[] =>
  index.value.plans.map(({ firstCall }) => firstCall).filter((call) => call >= 0);
const breakCalls = ({ index }: Inspector): readonly number[] => index.value.breaks.map(({ call }) => call);

const next = (calls: readonly number[], call: number): number => calls.find((one) => one > call) ?? call;
const previous = (calls: readonly number[], call: number): number => calls.findLast((one) => one < call) ?? call;

function toggleMode({ place, go }: Inspector, mode: "difference" | "log"): void {
  const { view, mode: shown } = place.value;
  go({ view: "request", mode: view === "request" && shown === mode ? "request" : mode });
}
