import {
  type AgentThread,
  actionOf,
  type CompactionPlan,
  isDeferredTool,
  type Message,
  type PlanRecord,
  type PlanRecords,
  revealedToolNames,
  schemaDigestOf,
  type ToolDefinition,
} from "@threadfold/core";

/** What the tools of a plan depend on. */
interface HiddenToolsInput {
  readonly thread: AgentThread;
  /** The plan that the new one is built on. */
  readonly plan: CompactionPlan;
  readonly tools?: readonly ToolDefinition[];
}

/**
 * The deferred tools that were found by searches of which these records show none any more, each with the fingerprint that
 * its schema has now: without the search the model would not know of them. Those of the plan before stay while their schema
 * is the same.
 */
export function hiddenTools(
  records: PlanRecords,
  { thread, plan, tools = [] }: HiddenToolsInput,
): Pick<CompactionPlan, "revealedTools"> {
  const deferred = tools.filter(isDeferredTool);
  if (deferred.length === 0) return {};
  const { hidden, shown } = searchesIn(thread, records);
  const revealedTools = deferred.flatMap((tool) => {
    const entry = { name: tool.name, schemaDigest: schemaDigestOf(tool) };
    const isKept = plan.revealedTools?.some(
      ({ name, schemaDigest }) => name === entry.name && schemaDigest === entry.schemaDigest,
    );
    return isKept === true || (hidden.has(tool.name) && !shown.has(tool.name)) ? [entry] : [];
  });
  return revealedTools.length === 0 ? {} : { revealedTools };
}

function searchesIn(thread: AgentThread, records: PlanRecords) {
  const hidden = new Set<string>();
  const shown = new Set<string>();
  // What an earlier plan hid may have been left in the store; that plan names its tools.
  for (let ordinal = 0; ordinal < thread.length; ordinal++) {
    const message = thread.messageAt(ordinal);
    const names = message === undefined || message.branch !== undefined ? [] : revealedToolNames(message);
    for (const name of names) (isHidden(message as Message, records) ? hidden : shown).add(name);
  }
  return { hidden, shown };
}

const isHidden = ({ id, ordinal }: Message, records: PlanRecords): boolean =>
  hides(actionOf(records, id, ordinal).record);

const hides = (record: PlanRecord | null): boolean =>
  record !== null && (record.action !== "clear" || record.targets.includes("tool-result"));
