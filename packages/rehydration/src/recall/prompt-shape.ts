import {
  type AgentThread,
  actionOf,
  type ClearRecord,
  type ClearTarget,
  type CompactionPlan,
  EventLoopTurns,
  type Message,
  type MessageId,
  type Part,
  type PlanRecord,
  renderSummary,
  visibleText,
} from "@threadfold/core";
import { namesInSteps } from "./names-in-text.ts";

/** What a prompt under a plan shows, as far as recall has to know: it brings back what is not there. */
export interface PromptShape {
  /** The messages that it shows in full. */
  readonly shown: readonly MessageId[];
  /** The names that stand in the prompt already. */
  readonly names: ReadonlySet<string>;
}

/** The shape of the main branch's prompt under a plan. */
export async function promptShape(thread: AgentThread, plan: CompactionPlan): Promise<PromptShape> {
  const shown: MessageId[] = [];
  const names = new Set<string>();
  const told = new Set<PlanRecord>();
  const turns = new EventLoopTurns();
  const show = async (text: string): Promise<void> => {
    for (const name of await turns.finish(namesInSteps(text))) names.add(name);
  };
  for (const message of thread.messages) {
    const { record } = actionOf(plan, message.id);
    if (message.branch !== undefined) continue;
    if (turns.isDue) await turns.turn();
    if (record === null) {
      shown.push(message.id);
      await show(visibleText(message));
    } else if (record.action === "clear") await show(clearedText(message, record));
    else if (record.action !== "drop" && !told.has(record)) await show(renderSummary(record.summary));
    if (record !== null) told.add(record);
  }
  return { shown, names };
}

/** What a clear leaves of a message. */
function clearedText(message: Message, { targets, keep }: ClearRecord): string {
  const left = visibleText({ parts: message.parts.filter((part) => !targets.includes(targetOf(part))) });
  if (keep === undefined) return left;
  const emptied = visibleText({ parts: message.parts.filter((part) => targets.includes(targetOf(part))) });
  return `${left}\n${emptied.slice(0, keep.headCharacters)}\n${emptied.slice(Math.max(0, emptied.length - keep.tailCharacters))}`;
}

function targetOf(part: Part): ClearTarget {
  switch (part.type) {
    case "tool-result":
    case "reasoning":
    case "text":
      return part.type;
    case "tool-call":
      return "tool-input";
    case "image":
    case "file":
    case "opaque":
      return "media";
  }
}
