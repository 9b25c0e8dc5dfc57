import {
  type AgentThread,
  type Message,
  type MessageId,
  type PlanRecord,
  type SystemEntry,
  spanStart,
  systemText,
  toChatMessage,
  type ViewEntry,
} from "@threadfold/core";
import type { RenderInput } from "../input/render-input.ts";
import { clearedMessage } from "./cleared-message.ts";
import type { Draft } from "./draft.ts";
import { externalizedBody } from "./externalized-body.ts";
import { pinLiftedMessage, pinsMessage } from "./pins.ts";
import { pointerMessage } from "./pointer-message.ts";
import { type RecallTools, recallTools } from "./recall-tools.ts";
import { splitLeadingSystem } from "./split-system.ts";
import { firstSummary, type SummaryStyle, summaryMessage } from "./summary-message.ts";

/** The fields of an input that drafting reads. */
type DraftInput = Pick<RenderInput, "thread" | "plan" | "tools" | "summaryRole" | "summaryWording">;

/** A request before any provider is known: system text, and the conversation. */
export interface DraftedRequest {
  /** The host's system text, followed by that of the system messages with which the thread begins. */
  readonly system: readonly SystemEntry[];
  /** Ids of those system messages. */
  readonly sources: readonly MessageId[];
  readonly drafts: readonly Draft[];
}

/** Drafts a whole view. */
export function draftRequest(
  entries: Iterable<ViewEntry>,
  input: DraftInput & Pick<RenderInput, "system">,
): DraftedRequest {
  const { texts, sources, drafts } = splitLeadingSystem(draftView(entries, input));
  const host = input.system.filter((entry) => systemText(entry).trim() !== "");
  return { system: [...host, ...texts], sources, drafts };
}

/** Drafts the messages of a view, entry by entry and in order. Knows no provider. */
export function draftView(
  entries: Iterable<ViewEntry>,
  input: DraftInput,
  before: readonly Draft[] = [],
): readonly Draft[] {
  const drafts = [...before];
  const style = { ...summaryStyle(input), recall: recallTools(input.tools) };
  for (const entry of entries) addEntry(drafts, entry, input.thread, style);
  return drafts;
}

/** How summaries and pointers are shown. */
interface ViewStyle extends SummaryStyle {
  readonly recall: RecallTools;
}

function addEntry(drafts: Draft[], entry: ViewEntry, thread: AgentThread, style: ViewStyle): void {
  switch (entry.type) {
    case "message":
      drafts.push(keptMessage(entry.message));
      return;
    case "cleared": {
      const cleared = clearedMessage(entry.message, entry.record, style.recall);
      if (cleared !== null) drafts.push(cleared);
      return;
    }
    case "externalized-body":
      drafts.push(externalizedBody(entry.message, entry.record, style.recall));
      return;
    case "summary":
      drafts.push(...summaryMessage(entry.record, startOf(entry.record, thread), style));
      return;
    case "pointer":
      drafts.push(...pointerMessage(entry.record, startOf(entry.record, thread), style));
      return;
    case "pins":
      drafts.push(pinsMessage(entry.pins, nextOrdinal(drafts)));
      return;
    case "pin-lifted":
      drafts.push(pinLiftedMessage(entry.pin, nextOrdinal(drafts)));
  }
}

function summaryStyle({ thread, plan, summaryRole = "assistant", summaryWording = {} }: DraftInput): SummaryStyle {
  const { introduction, answer, question } = summaryWording;
  const introduced = introduction === undefined ? undefined : firstSummary(plan, thread);
  return { role: summaryRole, introduction, introduced, answer, question };
}

const startOf = (record: PlanRecord, thread: AgentThread): number =>
  thread.message(spanStart(record.span))?.ordinal ?? 0;

/** Content that belongs to no message takes the ordinal of the message before it. */
const nextOrdinal = (drafts: readonly Draft[]): number => drafts.at(-1)?.ordinal ?? 0;

/** Drafts a message of the thread unchanged. */
export function keptMessage(message: Message): Draft {
  return {
    chat: toChatMessage(message),
    action: "include",
    share: "kept",
    record: null,
    message,
    ordinal: message.ordinal,
  };
}
