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
  spanOf,
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
  /** Tokens that the results of the search by words may take. */
  readonly maxTokens: number;
  /** Search by meaning, which adds to the first page what the search by words does not find. */
  readonly near?: NearSearch;
}

/** What to search for, and which page of the result to return. */
export type RecallAsk = Omit<RecallRequest, "limit" | "cursor"> & { readonly page?: number };

/** Search by meaning for one result. */
export interface NearSearch extends VectorSearch {
  /** Tokens that entries may take, in addition to the budget of the search by words. */
  readonly maxTokens: number;
  /**
   * Called with any error of the embedder or store, including `TIMED_OUT`; the result then has only what words find.
   */
  readonly onProblem?: (problem: unknown) => void;
}

/** Search by meaning, in addition to the search by words. The host fills the store. */
export interface VectorSearch {
  readonly store: VectorStore;
  readonly embed: Embed;
  /** How long embedding and searching may take together, in milliseconds; 5,000 by default. */
  readonly timeLimitMs?: number;
}

/** What a prompt under a plan already shows, so that recall brings back only what is missing. */
export interface PromptShape {
  /** The messages that the prompt shows in full. */
  readonly shown: readonly MessageId[];
  /** The names that are already in the prompt. */
  readonly names: ReadonlySet<string>;
}

/** Returns the shape of the main branch's prompt under a plan. */
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

/** Returns the text that a clear leaves of a message. */
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
 * Returns the externalized messages that a requester may not read and, if `sensitivities` are given, those whose
 * content has another sensitivity. The store is asked at the time of reading, so that recall cannot bypass its access
 * control.
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

/** What is known about a dropped span: enough to decide whether a search is worthwhile. */
export interface DroppedSpanIndex {
  readonly span: SpanReference;
  /** Keywords and names from the span. */
  readonly keywords: readonly string[];
  /** One sentence: how many messages it has, and how it begins. */
  readonly summary: string;
  /** ISO 8601 time of its newest message, in UTC. */
  readonly timestamp: string;
}

const MAX_KEYWORDS = 40;
const MAX_OPENING = 160;

/**
 * Returns an index of everything that a plan drops, in thread order, derived from the thread and the plan. A drop of
 * several turns has an entry for each, because what was said in one tells little about another.
 */
export function droppedSpanIndex(thread: AgentThread, plan: CompactionPlan): readonly DroppedSpanIndex[] {
  return plan.drops
    .flatMap((record) => indexOf(thread, record))
    .sort((a, b) => ordinalOf(thread, a.span) - ordinalOf(thread, b.span));
}

function indexOf(thread: AgentThread, { span, keywords }: DropRecord): readonly DroppedSpanIndex[] {
  const messages = span.messageIds.flatMap((id) => thread.message(id) ?? []);
  const turns = [...Map.groupBy(messages, ({ turn }) => turn).values()];
  const somewhere = keywords.filter((word) => messages.some((message) => visibleText(message).includes(word)));
  return turns.map((turn) => {
    const texts = turn.map(visibleText);
    const isElsewhere = (word: string): boolean =>
      somewhere.includes(word) && !texts.some((text) => text.includes(word));
    return entryOf(
      turn,
      texts,
      keywords.filter((word) => !isElsewhere(word)),
    );
  });
}

function entryOf(
  messages: readonly Message[],
  texts: readonly string[],
  keywords: readonly string[],
): DroppedSpanIndex {
  const names = new Set([...keywords, ...texts.flatMap(namesInText)]);
  const opening = (texts[0] ?? "").trim().replace(/\s+/g, " ").slice(0, MAX_OPENING).toWellFormed();
  const count = `${messages.length} ${messages.length === 1 ? "message" : "messages"}`;
  return {
    span: spanOf(messages),
    keywords: [...names].slice(0, MAX_KEYWORDS),
    summary: `${count} of turn ${messages[0]?.turn}, beginning: ${opening}`,
    timestamp:
      messages
        .map(({ createdAt }) => createdAt)
        .sort()
        .at(-1) ?? "",
  };
}

const ordinalOf = (thread: AgentThread, { messageIds }: SpanReference): number =>
  thread.message(messageIds[0] as SpanReference["messageIds"][number])?.ordinal ?? 0;
