import {
  type AgentThread,
  applySummaryChanges,
  type ChatRequest,
  type CompactionPlan,
  detectConstraints,
  type Message,
  type MessageId,
  planRecords,
  spanOf,
  systemText,
  visibleText,
} from "@threadfold/core";
import { ExtractiveSummarizer } from "@threadfold/summarizers";

/** An item that was in the prompt, and the first message that it was found in. */
export interface HiddenItem {
  readonly text: string;
  readonly messageId: MessageId;
}

/** The kinds of items that are looked for. */
export const HIDDEN_KINDS = ["decisions", "constraints", "numbers", "files", "identifiers"] as const;
/** One of {@link HIDDEN_KINDS}. */
export type HiddenKind = (typeof HIDDEN_KINDS)[number];

/** Items of one kind: the first ones, and how many there are in total. */
export interface HiddenList {
  readonly items: readonly HiddenItem[];
  readonly total: number;
}

/** What a request no longer contains verbatim, by kind. Only literal presence is checked, not meaning. */
export type HiddenContent = Readonly<Record<HiddenKind, HiddenList>>;

/** Maximum number of items listed per kind; the rest are only counted. */
const MOST_ITEMS = 40;
/** Token limit for what is extracted from the folded messages, at four characters per token. */
const READ_TOKENS = 40_000;
/** Whole numbers with or without thousands separators, decimals, and either with a unit. */
const NUMBER =
  /(?<![\w.,/-])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[KMG]i?B|[mn]?s|[hx]\b| ?(?:%|ms|seconds|minutes|tokens|[KMG]i?B))?(?![\w/-]|\.\d|,\d)/g;

/**
 * Returns what the model would no longer see: items extracted from the folded messages that are in the first request
 * but not in the second. Deterministic; uses the extraction that also makes summaries without a model.
 */
export async function hiddenContent(
  thread: AgentThread,
  plan: CompactionPlan,
  shownBefore: ChatRequest,
  shownAfter: ChatRequest,
): Promise<HiddenContent> {
  const folded = foldedMessages(thread, plan);
  const before = requestText(shownBefore);
  const after = requestText(shownAfter);
  const read = await readSummary(folded);
  const found = { ...read, constraints: readConstraints(folded), numbers: readNumbers(folded) };
  const numbersBefore = new Set(numbersIn(before));
  const numbersAfter = new Set(numbersIn(after));
  const isHidden = (kind: HiddenKind, text: string): boolean =>
    kind === "numbers"
      ? numbersBefore.has(text) && !numbersAfter.has(text)
      : before.includes(text) && !after.includes(text);
  const listOf = (kind: HiddenKind): HiddenList => {
    const hidden = unique(found[kind]).filter(({ text }) => isHidden(kind, text));
    return { items: hidden.slice(0, MOST_ITEMS), total: hidden.length };
  };
  return {
    decisions: listOf("decisions"),
    constraints: listOf("constraints"),
    numbers: listOf("numbers"),
    files: listOf("files"),
    identifiers: listOf("identifiers"),
  };
}

function foldedMessages(thread: AgentThread, plan: CompactionPlan): readonly Message[] {
  return planRecords(plan)
    .flatMap(({ span }) => span.messageIds.flatMap((id) => thread.message(id) ?? []))
    .sort((a, b) => a.ordinal - b.ordinal);
}

/** Returns all text of a request except its tools. */
export const requestText = ({ system, messages }: ChatRequest): string =>
  [...system.map(systemText), ...messages.map((message) => visibleText(message))].join("\n");

async function readSummary(
  messages: readonly Message[],
): Promise<Record<Exclude<HiddenKind, "numbers" | "constraints">, readonly HiddenItem[]>> {
  if (messages.length === 0) return { decisions: [], files: [], identifiers: [] };
  const span = spanOf(messages);
  const { changes } = await new ExtractiveSummarizer().summarize({
    span,
    messages,
    previous: null,
    pins: [],
    maxTokens: READ_TOKENS,
    countTokens: (text) => Math.ceil(text.length / 4),
  });
  const { summary } = applySummaryChanges(null, span, changes);
  const item = (text: string, sources: readonly MessageId[]): HiddenItem => ({
    text,
    messageId: sources[0] ?? (messages[0] as Message).id,
  });
  return {
    decisions: summary.decisions.map(({ decision, sources }) => item(decision, sources)),
    files: summary.files.map(({ path, sources }) => item(path, sources)),
    identifiers: summary.identifiers.map(({ text, sources }) => item(text, sources)),
  };
}

const readConstraints = (messages: readonly Message[]): readonly HiddenItem[] =>
  messages.flatMap((message) => detectConstraints(message).map(({ text }) => ({ text, messageId: message.id })));

/** Extracts numbers, those in written messages before those in tool output, which are mostly line numbers and sizes. */
function readNumbers(messages: readonly Message[]): readonly HiddenItem[] {
  const isPrinted = ({ role }: Message): number => Number(role === "tool");
  return [...messages]
    .sort((a, b) => isPrinted(a) - isPrinted(b))
    .flatMap((message) => numbersIn(visibleText(message)).map((text) => ({ text, messageId: message.id })));
}

/**
 * Extracts figures: numbers with three digits, a fraction or a unit. Small bare numbers are mostly counts and list
 * items.
 */
const numbersIn = (text: string): readonly string[] =>
  [...text.matchAll(NUMBER)].map(([number]) => number).filter((number) => /\d{3}|\.\d|[%a-zA-Z]/.test(number));

function unique(items: readonly HiddenItem[]): readonly HiddenItem[] {
  const seen = new Set<string>();
  return items.filter(({ text }) => text !== "" && !seen.has(text) && seen.add(text));
}
