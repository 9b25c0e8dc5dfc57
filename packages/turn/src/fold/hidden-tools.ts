import {
  type AgentThread,
  actionOf,
  type CompactionPlan,
  type FoundTool,
  isDeferredTool,
  type Message,
  type MessageId,
  type PlanRecord,
  type PlanRecords,
  type RevealedTool,
  schemaDigestOf,
  type ThreadShape,
  type ToolDefinition,
  toolKey,
  toolNameOf,
  toolsFoundIn,
} from "@threadfold/core";

/** What the tools of a plan depend on. */
interface HiddenToolsInput {
  readonly thread: AgentThread;
  /** The plan that the new one is built on. */
  readonly plan: CompactionPlan;
  readonly tools?: readonly ToolDefinition[];
  /** The message of the item that the new plan names: its provider is shown nothing of what stands before the item. */
  readonly item?: MessageId;
  /** What the fold looks at: what it leaves out an earlier plan hid, which names the tools of it. All, where it is left out. */
  readonly shape?: ThreadShape;
}

/**
 * The tools that were found by searches of which these records show none any more, each with the fingerprint of its schema:
 * without the search the model would not know of them. Of a tool that the host defines that is the schema that it has now;
 * one that a search defined is kept as the newest of them gave it. Those of the plan before stay while that is the same.
 */
export function hiddenTools(records: PlanRecords, input: HiddenToolsInput): Pick<CompactionPlan, "revealedTools"> {
  const { plan, tools = [] } = input;
  const { revealedTools: before = [] } = plan;
  if (before.length === 0 && !tools.some(isDeferredTool) && !hasSearches(input)) return {};
  const { hidden, shown } = searchesIn(records, input);
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

/** Of what folds look at: whether a message of it found a tool. A fold asks for every plan that it tries. */
const searched = new WeakMap<ThreadShape, boolean>();

/** True where a message that the fold looks at found a tool. */
function hasSearches({ thread, shape }: HiddenToolsInput): boolean {
  const known = shape && searched.get(shape);
  if (known !== undefined) return known;
  const has = findsTools(thread, shape);
  if (shape !== undefined) searched.set(shape, has);
  return has;
}

function findsTools(thread: AgentThread, shape: ThreadShape | undefined): boolean {
  for (let ordinal = 0; ordinal < thread.length; ordinal = shape?.after(ordinal) ?? ordinal + 1) {
    const message = thread.messageAt(ordinal);
    if (message !== undefined && toolsFoundIn(message).length > 0) return true;
  }
  return false;
}

/** What searches found, by what tells tools apart: of each the newest. */
function searchesIn(records: PlanRecords, { thread, item }: HiddenToolsInput) {
  const hidden = new Map<string, FoundTool>();
  const shown = new Map<string, FoundTool>();
  const standIn = item === undefined ? undefined : thread.messageInMemory(item);
  // What an earlier plan hid may have been left in the store; that plan names its tools.
  for (let ordinal = 0; ordinal < thread.length; ordinal++) {
    const message = thread.messageAt(ordinal);
    if (message === undefined || message.branch !== undefined) continue;
    const isPassedOver = standIn !== undefined && ordinal <= standIn.ordinal;
    const found = isPassedOver || isHidden(message, records) ? hidden : shown;
    for (const tool of toolsFoundIn(message)) found.set(toolKey(tool), tool);
  }
  return { hidden, shown };
}

const isHidden = ({ id, ordinal }: Message, records: PlanRecords): boolean =>
  hides(actionOf(records, id, ordinal).record);

const hides = (record: PlanRecord | null): boolean =>
  record !== null && (record.action !== "clear" || record.targets.includes("tool-result"));
