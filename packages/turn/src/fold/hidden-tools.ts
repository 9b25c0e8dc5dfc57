import {
  type AgentThread,
  actionOf,
  type CompactionPlan,
  type FoundTool,
  finishSteps,
  isDeferredTool,
  type Message,
  type MessageId,
  type PlanRecord,
  type PlanRecords,
  type RevealedTool,
  type Steps,
  schemaDigestOf,
  type ThreadShape,
  type ToolDefinition,
  toolKey,
  toolNameOf,
  toolsFoundIn,
} from "@threadfold/core";

/** What determines the revealed tools of a plan. */
interface HiddenToolsInput {
  readonly thread: AgentThread;
  /** The plan that the new one is built on. */
  readonly plan: CompactionPlan;
  readonly tools?: readonly ToolDefinition[];
  /** The message of the compaction item that the new plan names: its provider is shown nothing before that item. */
  readonly item?: MessageId;
  /** The part that the fold looks at; an earlier plan hid the rest and names its tools. The whole thread by default. */
  readonly shape?: ThreadShape;
}

/**
 * Returns the tools that only hidden tool searches found, each with the fingerprint of its schema: without the search,
 * the model would not know about them. For a tool that the host defines, that is its current schema; a tool that a
 * search defined is kept with the newest definition. Tools of the previous plan stay as long as their schema is the
 * same.
 */
export function hiddenTools(records: PlanRecords, input: HiddenToolsInput): Pick<CompactionPlan, "revealedTools"> {
  const { plan, tools = [] } = input;
  const { revealedTools: before = [] } = plan;
  const searches = finishSteps(searchesBehind(input));
  if (searches === null) return {};
  const { hidden, shown } = sortedSearches(records, searches, input);
  const offered = new Set(tools.map((tool) => toolKey(toolNameOf(tool))));
  const known = new Map(before.map((tool) => [toolKey(tool), tool]));
  const declared = tools.filter(isDeferredTool).flatMap((tool) => {
    const entry = { ...toolNameOf(tool), schemaDigest: schemaDigestOf(tool) };
    const key = toolKey(entry);
    const isKept = known.get(key)?.schemaDigest === entry.schemaDigest;
    return isKept || (hidden.has(key) && !shown.has(key)) ? [entry] : [];
  });
  const defined = [...known.values(), ...definedIn(hidden)].filter((tool) => {
    const key = toolKey(tool);
    return tool.definition !== undefined && !offered.has(key) && !shown.has(key);
  });
  const revealedTools = [...declared, ...new Map(defined.map((tool) => [toolKey(tool), tool])).values()];
  return revealedTools.length === 0 ? {} : { revealedTools };
}

const definedIn = (found: ReadonlyMap<string, FoundTool>): readonly RevealedTool[] =>
  [...found.values()].flatMap(({ definition, ...named }) =>
    definition === undefined ? [] : [{ ...named, schemaDigest: schemaDigestOf(definition), definition }],
  );

/** Caches whether any message found a tool, because a fold asks for every plan that it tries. */
const searched = new WeakMap<ThreadShape, boolean>();

/** Which messages found tools, by the family of threads that grew from one another: each message is looked at once. */
const searchesOf = new WeakMap<object, { looked: number; readonly found: Message[] }>();

/** Messages that are searched in one step, in a millisecond or less. */
const AT_A_TIME = 1_024;

/**
 * Returns the messages that found tools; null if these determine nothing. Takes steps only for messages that are new, so
 * a fold calls this before it asks for {@link hiddenTools}.
 */
export function* searchesBehind(input: HiddenToolsInput): Steps<readonly Message[] | null> {
  const { thread, plan, tools = [] } = input;
  const isWanted = (plan.revealedTools?.length ?? 0) > 0 || tools.some(isDeferredTool);
  if (!isWanted && !(yield* hasSearches(input))) return null;
  const known = searchesOf.get(thread.family) ?? { looked: 0, found: [] };
  searchesOf.set(thread.family, known);
  while (known.looked < thread.length) {
    // Counted only once it was read: one that is not in memory throws, and is looked at again when it was loaded.
    const message = thread.messageAt(known.looked) as Message;
    known.looked++;
    if (message.branch === undefined && toolsFoundIn(message).length > 0) known.found.push(message);
    // Between two steps, another caller may continue with the same state.
    if (known.looked % AT_A_TIME === 0) yield;
  }
  return known.found.filter(({ ordinal }) => ordinal < thread.length);
}

/** Checks whether any message that the fold looks at found a tool. */
function* hasSearches({ thread, shape }: HiddenToolsInput): Steps<boolean> {
  const known = shape && searched.get(shape);
  if (known !== undefined) return known;
  const has = yield* findsTools(thread, shape);
  if (shape !== undefined) searched.set(shape, has);
  return has;
}

function* findsTools(thread: AgentThread, shape: ThreadShape | undefined): Steps<boolean> {
  let seen = 0;
  for (let ordinal = 0; ordinal < thread.length; ordinal = shape?.after(ordinal) ?? ordinal + 1) {
    if (++seen % AT_A_TIME === 0) yield;
    const message = thread.messageAt(ordinal);
    if (message !== undefined && toolsFoundIn(message).length > 0) return true;
  }
  return false;
}

/** Returns the tools that hidden and shown searches found, by key, each with its newest definition. */
function sortedSearches(records: PlanRecords, searches: readonly Message[], { thread, item }: HiddenToolsInput) {
  const hidden = new Map<string, FoundTool>();
  const shown = new Map<string, FoundTool>();
  const standIn = item === undefined ? undefined : thread.messageInMemory(item);
  for (const message of searches) {
    const isPassedOver = standIn !== undefined && message.ordinal <= standIn.ordinal;
    const found = isPassedOver || isHidden(message, records) ? hidden : shown;
    for (const tool of toolsFoundIn(message)) found.set(toolKey(tool), tool);
  }
  return { hidden, shown };
}

const isHidden = ({ id, ordinal }: Message, records: PlanRecords): boolean =>
  hides(actionOf(records, id, ordinal).record);

const hides = (record: PlanRecord | null): boolean =>
  record !== null && (record.action !== "clear" || record.targets.includes("tool-result"));
