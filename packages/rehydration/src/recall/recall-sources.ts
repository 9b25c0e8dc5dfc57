import {
  type AgentThread,
  type ArtifactStore,
  actionOf,
  type ClearRecord,
  type ClearTarget,
  type CompactionPlan,
  type DropRecord,
  type Embed,
  EventLoopTurns,
  type Message,
  type MessageId,
  type Part,
  type PlanRecord,
  type RecallIndex,
  type RecallRequest,
  renderSummary,
  type SecurityContext,
  type Sensitivity,
  type SpanReference,
  type VectorStore,
  visibleText,
} from "@threadfold/core";
import { namesInSteps, namesInText } from "./names.ts";

/** What a recall searches, and how much one result may take. */
export interface RecallSources {
  readonly index: RecallIndex;
  readonly thread: AgentThread;
  readonly plan: CompactionPlan;
  readonly countTokens: (text: string) => number;
  /** Tokens that one result may take of what words find. */
  readonly maxTokens: number;
  /** Search by meaning, which adds to the first page what words do not find. */
  readonly near?: NearSearch;
}

/** What is looked for, and which page of the result. */
export type RecallAsk = Omit<RecallRequest, "limit" | "cursor"> & { readonly page?: number };

/** Search by meaning for one result. */
export interface NearSearch extends VectorSearch {
  /** Tokens that entries may take besides the passages found by words, which they take nothing from. */
  readonly maxTokens: number;
  /** Called with what the embedder or the store throws, `TIMED_OUT` included; the result is then what the words alone find. */
  readonly onProblem?: (problem: unknown) => void;
}

/** Search by meaning, on top of the search by words. The host fills the store. */
export interface VectorSearch {
  readonly store: VectorStore;
  readonly embed: Embed;
  /** How long embedding and searching may take together, in milliseconds; 5 000 by default. */
  readonly timeLimitMs?: number;
}

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

/**
 * The externalized messages that a requester may not read, and, with `sensitivities`, those whose content is of another
 * sensitivity. Asked of the store at the time of reading, so that recall does not get around its access control.
 */
export async function withheldMessages(
  plan: CompactionPlan,
  artifacts: ArtifactStore,
  requester?: SecurityContext,
  sensitivities?: readonly Sensitivity[],
): Promise<readonly MessageId[]> {
  const withheld = plan.externalizations.map(async ({ artifactId, span }) => {
    const metadata = await artifacts.getMetadata(artifactId, requester);
    const open = metadata !== null && (sensitivities === undefined || sensitivities.includes(metadata.sensitivity));
    return open ? [] : span.messageIds;
  });
  return (await Promise.all(withheld)).flat();
}

/** What is left of a dropped span besides the thread itself: enough to know that it is worth a search. */
export interface DroppedSpanIndex {
  readonly span: SpanReference;
  /** Words and names of the span. */
  readonly keywords: readonly string[];
  /** One sentence: how much it was, and how it began. */
  readonly summary: string;
  /** ISO 8601 time of its newest message, in UTC. */
  readonly timestamp: string;
}

const MAX_KEYWORDS = 40;
const MAX_OPENING = 160;

/** An index of everything that a plan drops, in the order of the thread. Derived from the plan alone. */
export function droppedSpanIndex(thread: AgentThread, plan: CompactionPlan): readonly DroppedSpanIndex[] {
  return plan.drops
    .map((record) => indexOf(thread, record))
    .sort((a, b) => ordinalOf(thread, a.span) - ordinalOf(thread, b.span));
}

function indexOf(thread: AgentThread, { span, keywords }: DropRecord): DroppedSpanIndex {
  const messages = span.messageIds.flatMap((id) => thread.message(id) ?? []);
  const texts = messages.map(visibleText);
  const names = new Set([...keywords, ...texts.flatMap(namesInText)]);
  const opening = (texts[0] ?? "").trim().replace(/\s+/g, " ").slice(0, MAX_OPENING).toWellFormed();
  const turns =
    span.firstTurn === span.lastTurn ? `turn ${span.firstTurn}` : `turns ${span.firstTurn} to ${span.lastTurn}`;
  return {
    span,
    keywords: [...names].slice(0, MAX_KEYWORDS),
    summary: `${messages.length} ${messages.length === 1 ? "message" : "messages"} of ${turns}, beginning: ${opening}`,
    timestamp:
      messages
        .map(({ createdAt }) => createdAt)
        .sort()
        .at(-1) ?? "",
  };
}

const ordinalOf = (thread: AgentThread, { messageIds }: SpanReference): number =>
  thread.message(messageIds[0] as SpanReference["messageIds"][number])?.ordinal ?? 0;
