import { spanStart } from "../groups/span-reference.ts";
import type { MessageId, PinId } from "../model/ids.ts";
import type { Message } from "../model/message.ts";
import { actionOf, type CompactionPlan } from "../plan/compaction-plan.ts";
import type { ClearRecord, ExternalizationRecord, PlanRecord, SummarizationRecord } from "../plan/plan-record.ts";
import type { AgentThread } from "../thread/agent-thread.ts";
import type { Pin } from "../thread/pin.ts";
import type { ThreadEntry } from "../thread/thread-entry.ts";

/** One thing that a prompt shows, in order. Provider-neutral and free of any text that rendering adds. */
export type ViewEntry =
  | { readonly type: "message"; readonly message: Message }
  | { readonly type: "cleared"; readonly message: Message; readonly record: ClearRecord }
  | { readonly type: "externalized-body"; readonly message: Message; readonly record: ExternalizationRecord }
  | { readonly type: "summary"; readonly record: SummarizationRecord }
  | { readonly type: "pointer"; readonly record: ExternalizationRecord }
  | { readonly type: "pins"; readonly pins: readonly Pin[] }
  | { readonly type: "pin-lifted"; readonly pin: Pin };

/**
 * What a plan shows of a thread (V1–V15): each message as it is, emptied, or replaced with its span by one entry at the
 * span's first message. Messages of side branches are not shown. Live pins whose source is folded away are gathered
 * before the first fold; pins made after the plan stand where they were made, so that between plans the view only grows
 * at its end.
 */
export function viewThread(thread: AgentThread, plan: CompactionPlan): readonly ViewEntry[] {
  const view: ViewEntry[] = [];
  const folded = foldedPins(thread, plan);
  const made = new Map<PinId, Pin>();
  let pinsShown = folded.length === 0;
  let version = 0;
  let length = 0;
  for (const entry of thread.entries) {
    version++;
    if (entry.type === "message") {
      length++;
      const shown = viewMessage(entry.message, plan);
      if (!pinsShown && actionOf(plan, entry.message.id).record !== null) {
        view.push({ type: "pins", pins: folded });
        pinsShown = true;
      }
      if (shown !== null) view.push(shown);
    } else {
      if (entry.type === "pin") made.set(entry.pin.id, entry.pin);
      const isLate = version > plan.threadVersion || plan.version === 0;
      const late = isLate ? viewLatePin(entry, made, (pin) => isVisible(pin, thread, length, plan)) : null;
      if (late !== null) view.push(late);
    }
  }
  return pinsShown ? view : [{ type: "pins", pins: folded }, ...view];
}

function viewMessage(message: Message, plan: CompactionPlan): ViewEntry | null {
  if (message.branch !== undefined) return null;
  const { record } = actionOf(plan, message.id);
  if (record === null) return { type: "message", message };
  switch (record.action) {
    case "drop":
      return null;
    case "clear":
      return { type: "cleared", message, record };
    case "summarize":
      return spanStart(record.span) === message.id ? { type: "summary", record } : null;
    case "externalize":
      if (record.form === "body") return { type: "externalized-body", message, record };
      return spanStart(record.span) === message.id ? { type: "pointer", record } : null;
  }
}

/** `made` holds the pins up to this entry: an id that is used again later must not change what is shown here (P7). */
function viewLatePin(
  entry: Exclude<ThreadEntry, { type: "message" }>,
  made: ReadonlyMap<PinId, Pin>,
  visible: (pin: Pin) => boolean,
): ViewEntry | null {
  if (entry.type === "pin") return visible(entry.pin) ? null : { type: "pins", pins: [entry.pin] };
  const pin = made.get(entry.pinId);
  return pin === undefined ? null : { type: "pin-lifted", pin };
}

/** The pins that hold at the plan's version and whose text no shown message carries. */
export function foldedPins(thread: AgentThread, plan: CompactionPlan): readonly Pin[] {
  if (plan.version === 0) return [];
  const then = thread.atVersion(plan.threadVersion);
  return then.livePins.filter((pin) => !isVisible(pin, then, then.length, plan));
}

/**
 * True when the message that a pin quotes is shown as it is and says what the pin says. Only the thread's first `length`
 * messages count: one that comes after the pin must not take away what is shown already (P7).
 */
function isVisible(pin: Pin, thread: AgentThread, length: number, plan: CompactionPlan): boolean {
  const source = pin.source === undefined ? undefined : thread.message(pin.source.messageId);
  if (source === undefined || source.ordinal >= length || source.branch !== undefined) return false;
  return (
    isShownVerbatim(source.id, plan) &&
    source.parts.some((part) => part.type === "text" && part.text.includes(pin.text))
  );
}

function isShownVerbatim(id: MessageId, plan: CompactionPlan): boolean {
  const record: PlanRecord | null = actionOf(plan, id).record;
  return record === null || (record.action === "clear" && !record.targets.includes("text"));
}
