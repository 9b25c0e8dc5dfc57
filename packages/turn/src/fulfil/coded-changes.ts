import {
  applySummaryChanges,
  EventLoopTurns,
  emptySummary,
  type FileItem,
  fileArgument,
  fileName,
  fileUse,
  isPath,
  isSameFile,
  type JsonValue,
  type Message,
  type MessageId,
  type NewItem,
  plainPath,
  renderSummary,
  type SpanReference,
  type Steps,
  type StructuredSummary,
  type SummaryChange,
  type SummaryItem,
  type SummarySection,
  type ToolCallId,
  type ToolCallPart,
  toolArgument,
  toolKind,
} from "@threadfold/core";
import { toolPolicy } from "@threadfold/strategies";
import { boundedFields, declaredFields } from "./declared-fields.ts";
import { owedReference } from "./externalization-record.ts";
import type { Fulfilment } from "./fulfilment.ts";

/** Items that code adds to a summary of messages, whoever writes the summary. */
export interface OwedItems {
  /** Results with the fields that their tools declared or their policies name, oldest first. */
  readonly outcomes: readonly NewItem<"toolOutcomes">[];
  /** Artifacts that pointers referred to so far, and bodies that cannot be obtained again, oldest first. */
  readonly artifacts: readonly NewItem<"artifacts">[];
  /** What write and edit calls did to files, newest first. */
  readonly files: readonly NewItem<"files">[];
}

/** Collects the items that code must add to whatever replaces the messages. Each message is read once. */
export async function owedItems(messages: readonly Message[], fulfilment: Fulfilment): Promise<OwedItems> {
  const { redact = async (value) => value } = fulfilment;
  const turns = new EventLoopTurns();
  const outcomes: NewItem<"toolOutcomes">[] = [];
  const artifacts = new Map<string, NewItem<"artifacts">>();
  for (const [index, message] of messages.entries()) {
    if (index % AT_A_TIME === 0) await turns.take();
    const outcome = owedOutcome(message, fulfilment);
    if (outcome !== null) outcomes.push({ ...outcome, keyFields: await redact(outcome.keyFields) });
    const reference = owedReference(message, fulfilment);
    if (reference === null) continue;
    const { description, rehydrateHint: hint } = reference;
    const words = { description: await redact(description), rehydrateHint: await redact(hint) };
    artifacts.set(reference.artifactId, { ...reference, ...words });
  }
  await turns.take();
  const files = await turns.finish(changedFiles(messages), fulfilment.signal);
  return { outcomes, artifacts: [...artifacts.values()], files };
}

function owedOutcome(message: Message, { config }: Fulfilment): NewItem<"toolOutcomes"> | null {
  const part = message.parts[0];
  if (part?.type !== "tool-result") return null;
  const { toolName, outcome } = part.result;
  const fields = declaredFields(part.result, toolPolicy(config, toolName));
  if (Object.keys(fields).length === 0) return null;
  return {
    ...{ toolName, outcome, keyFields: boundedFields(fields), errorMessage: null, declared: true },
    sources: [message.id],
  };
}

/** Returns the tokens that items of one section take in a rendered summary. */
function itemTokens<Section extends SummarySection>(
  section: Section,
  items: readonly NewItem<Section>[],
  { tokenizer }: Pick<Fulfilment, "tokenizer">,
): number {
  const shown = items.map((item) => ({ ...item, id: "" }) as unknown as SummaryItem);
  const alone = { ...NOTHING, [section]: shown } as unknown as StructuredSummary;
  return Math.max(0, tokenizer.countTokens(renderSummary(alone)) - tokenizer.countTokens(renderSummary(NOTHING)));
}

const NOTHING = emptySummary({ messageIds: [], firstTurn: 0, lastTurn: 0 });

/** Maximum share of a summary for references to artifacts, and for files that a summarizer did not name, each. */
const SHARE = 1 / 8;

/**
 * Returns a summarizer's changes with the items that code adds: declared fields, references to artifacts, and changed
 * files. What the summarizer says about the same call, artifact or file is merged into one item; it cannot remove
 * declared fields and references of earlier folds. If references exceed their share, the oldest are removed, and that
 * is recorded; files get the tokens that are left, or their share if the summarizer named no changed file.
 */
export function codedChanges(
  changes: readonly SummaryChange[],
  previous: StructuredSummary | null,
  span: SpanReference,
  owed: OwedItems,
  fulfilment: Fulfilment,
): readonly SummaryChange[] {
  const kept = withoutRemovals(changes, previous);
  const told = [...withOutcomes(kept, owed.outcomes), ...references(kept, previous, owed.artifacts, fulfilment)];
  return [...told, ...files(told, previous, span, owed.files, fulfilment)];
}

/** Ignores removals of items that code added: only code removes those. */
function withoutRemovals(
  changes: readonly SummaryChange[],
  previous: StructuredSummary | null,
): readonly SummaryChange[] {
  const coded = new Set([
    ...(previous?.toolOutcomes ?? []).filter(({ declared }) => declared === true).map(({ id }) => id),
    ...(previous?.artifacts ?? []).map(({ id }) => id),
  ]);
  return coded.size === 0 ? changes : changes.filter((change) => !("itemId" in change && coded.has(change.itemId)));
}

/** Makes each outcome one item: what the summarizer says about the call, with the declared fields unchanged. */
function withOutcomes(
  changes: readonly SummaryChange[],
  outcomes: readonly NewItem<"toolOutcomes">[],
): readonly SummaryChange[] {
  const owed = new Map(outcomes.map((item) => [item.sources[0] as string, item]));
  const open = new Set(outcomes);
  const told = changes.map((change): SummaryChange => {
    if (!("item" in change) || change.section !== "toolOutcomes") return change;
    const { declared: _declared, ...item } = change.item;
    const [own, ...others] = item.sources.flatMap((source) => owed.get(source) ?? []);
    if (own === undefined || others.length > 0 || own.toolName !== item.toolName || !open.delete(own))
      return { ...change, item };
    return { ...change, item: { ...item, keyFields: { ...item.keyFields, ...own.keyFields }, declared: true } };
  });
  return [...told, ...[...open].map((item): SummaryChange => ({ op: "add", section: "toolOutcomes", item }))];
}

function references(
  changes: readonly SummaryChange[],
  previous: StructuredSummary | null,
  owed: readonly NewItem<"artifacts">[],
  fulfilment: Fulfilment,
): readonly SummaryChange[] {
  if (owed.length === 0) return [];
  const named = new Set(
    changes.flatMap((change) => ("item" in change && change.section === "artifacts" ? [change.item.artifactId] : [])),
  );
  const before = previous?.artifacts ?? [];
  const known = new Set(before.map(({ artifactId }) => artifactId));
  const added = owed.filter(({ artifactId }) => !named.has(artifactId) && !known.has(artifactId));
  let room = Math.floor(fulfilment.summaryMaxTokens * SHARE);
  const fits = (item: NewItem<"artifacts">): boolean => {
    room -= itemTokens("artifacts", [item], fulfilment);
    return room >= 0;
  };
  const newest = [...added].reverse().filter(fits).reverse();
  const gone = [...before].reverse().filter((item) => !fits(item));
  return [
    ...gone.map(({ id }): SummaryChange => ({ op: "resolve", section: "artifacts", itemId: id, reason: MADE_ROOM })),
    ...newest.map((item): SummaryChange => ({ op: "add", section: "artifacts", item })),
  ];
}

const MADE_ROOM = "made room for newer artifacts; a search of the thread finds what it holds";

function files(
  changes: readonly SummaryChange[],
  previous: StructuredSummary | null,
  span: SpanReference,
  owed: readonly NewItem<"files">[],
  fulfilment: Fulfilment,
): readonly SummaryChange[] {
  const named = changes.flatMap((change) => ("item" in change && change.section === "files" ? [change.item] : []));
  const known = [...named, ...(previous?.files ?? [])].map(({ path }) => path);
  const added = owed.filter(({ path }) => !known.some((other) => isNameOf(other, path)));
  if (added.length === 0) return [];
  const { summary } = applySummaryChanges(previous, span, changes);
  const left = fulfilment.summaryMaxTokens - fulfilment.tokenizer.countTokens(renderSummary(summary));
  const share = named.some(({ action }) => action !== "read") ? 0 : fulfilment.summaryMaxTokens * SHARE;
  let room = Math.max(left, share);
  const chosen: SummaryChange[] = [];
  for (const item of added) {
    room -= itemTokens("files", [item], fulfilment);
    if (room < 0) break;
    chosen.push({ op: "add", section: "files", item });
  }
  return chosen;
}

/** Returns the tokens to reserve for the items that code adds to a summary: at most half of its limit. */
export function reservedTokens({ outcomes, artifacts }: OwedItems, fulfilment: Fulfilment): number {
  const { summaryMaxTokens } = fulfilment;
  const references = Math.min(itemTokens("artifacts", artifacts, fulfilment), Math.floor(summaryMaxTokens * SHARE));
  const declared = itemTokens("toolOutcomes", outcomes, fulfilment);
  return Math.min(declared + references, Math.floor(summaryMaxTokens / 2));
}

/** Messages that are processed in one step, in a millisecond or less. */
const AT_A_TIME = 512;

/** What was done to a file, how often, and by which messages. */
interface ChangedFile {
  readonly action: FileItem["action"];
  readonly changes: number;
  readonly sources: Set<MessageId>;
}

/** A call that changes files, or that takes away those that end in one of some names. */
interface FileCall extends Pick<ToolCallPart, "callId"> {
  readonly id: MessageId;
  readonly changes: readonly FileChange[];
  readonly gone: readonly string[];
}

/**
 * Returns the files that calls wrote, edited or deleted, newest first, with how often and by which messages. Calls
 * without a result and failed ones do not count. Of shell commands it is only read which files they take away, and such
 * a file is left out.
 */
export function* changedFiles(messages: readonly Message[]): Steps<readonly NewItem<"files">[]> {
  const calls = yield* fileCalls(messages);
  const open = new Set(calls.map(({ callId }) => callId));
  const done = new Set<ToolCallId>();
  for (const [index, { parts }] of messages.entries()) {
    if (index % AT_A_TIME === 0) yield;
    for (const part of parts)
      if (part.type === "tool-result" && part.result.outcome !== "failure" && open.has(part.result.callId))
        done.add(part.result.callId);
  }
  const files = new Map<string, ChangedFile>();
  for (const [index, { id, callId, changes, gone }] of calls.entries()) {
    if (index % AT_A_TIME === 0) yield;
    if (!done.has(callId)) continue;
    if (gone.length > 0)
      for (const path of files.keys()) if (gone.some((name) => isNameOf(name, path))) files.delete(path);
    for (const { path, action } of changes) {
      const before = files.get(path);
      files.delete(path);
      files.set(path, {
        // A file that was created and then edited in the span is still a new file to the reader of the summary.
        action: before?.action === "created" && action === "modified" ? "created" : action,
        changes: (before?.changes ?? 0) + 1,
        sources: (before?.sources ?? new Set()).add(id),
      });
    }
  }
  return [...files]
    .map(([path, { action, changes, sources }]) => ({ path, action, description: "", changes, sources: [...sources] }))
    .reverse();
}

function* fileCalls(messages: readonly Message[]): Steps<readonly FileCall[]> {
  const calls: FileCall[] = [];
  for (const [index, { id, parts }] of messages.entries()) {
    if (index % AT_A_TIME === 0) yield;
    for (const part of parts) {
      if (part.type !== "tool-call") continue;
      const [changes, gone] = [changesOf(part), namesTakenAway(part)];
      if (changes.length + gone.length > 0) calls.push({ id, callId: part.callId, changes, gone });
    }
  }
  return calls;
}

/** A command that removes or moves files, with the files that it names. */
const TAKES_AWAY = /(?:^|[\s;&|(])(rm|unlink|mv|del|remove-item|move-item)\s([^;&|\n]*)/gi;
const LONGEST_COMMAND = 20_000;

/** Returns the names of the files that a shell command removes or moves. */
function namesTakenAway({ input }: ToolCallPart): readonly string[] {
  const command = toolArgument(input, "command");
  const text = Array.isArray(command) ? command.at(-1) : command;
  if (typeof text !== "string") return [];
  const words = [...text.slice(0, LONGEST_COMMAND).matchAll(TAKES_AWAY)].flatMap(([, name = "", rest = ""]) =>
    // The last word of a move is where to.
    rest
      .trim()
      .split(/\s+/)
      .slice(0, /^m/i.test(name) ? -1 : undefined),
  );
  return words.map((word) => plainPath(word.replace(/["']/g, ""))).filter((word) => word !== "");
}

type FileChange = Pick<FileItem, "path" | "action">;

function changesOf({ toolName, input }: ToolCallPart): readonly FileChange[] {
  const kind = toolKind(toolName, input);
  if (kind === "patch") return patchedFiles(input);
  const [path, action] = [fileArgument(input), fileUse(kind, input)];
  return path === undefined || action === undefined || action === "read" ? [] : [{ path, action }];
}

const PATCH_LINE = /^\*\*\* (Add|Update|Delete) File: (.+)$/gm;

function patchedFiles(input: JsonValue): readonly FileChange[] {
  const patch = typeof input === "string" ? input : toolArgument(input, "patch");
  if (typeof patch !== "string") return [];
  return [...patch.matchAll(PATCH_LINE)]
    .map(([, verb, path = ""]): FileChange => {
      const action = verb === "Add" ? "created" : verb === "Delete" ? "deleted" : "modified";
      return { path: path.trim(), action };
    })
    .filter(({ path }) => isPath(path));
}

/** Checks whether a name may mean the file at a path: it is one of its paths, or its bare name in any folder. */
export const isNameOf = (name: string, path: string): boolean =>
  isSameFile(name, path) || (fileName(name) === fileName(path) && [name, path].some((one) => fileName(one) === one));
