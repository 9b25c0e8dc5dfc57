import type { MessageLookup } from "./said-by.ts";
import { SpokenWords } from "./said-by.ts";
import type { ItemSpeaker, OpenItem, StructuredSummary, SummaryItem, TextItem } from "./structured-summary.ts";
import { type MergedSummary, type ResolvedItem, summaryItemId } from "./summary-change.ts";

/**
 * A summary in which it is told whose words an item is, whoever wrote it: a task or a rule that no message of a user or of
 * the system says becomes a fact by the agent; other work that none of them asked for is marked as the agent's; what only
 * handoffs in the log said is marked as theirs. What changed its place is recorded. Linear in the messages that items name.
 */
export function attributedSummary(summary: StructuredSummary, messageOf: MessageLookup): MergedSummary {
  const spoken = new SpokenWords(messageOf);
  const { originalTask } = summary;
  const isTask = originalTask === null || spoken.bearOutTask(originalTask);
  const constraints = summary.constraints.map(withoutSpeaker);
  const rules = constraints.filter((rule) => spoken.bearOutRule(rule));
  const notes = constraints.filter((rule) => !rules.includes(rule));
  const demoted = [...(isTask ? [] : [originalTask]), ...notes].map(asNote);
  const known = new Set(demoted.map(({ id }) => id));
  const facts = summary.facts.filter(({ id }) => !known.has(id)).map((fact) => attributedFact(fact, messageOf));
  return {
    summary: {
      ...summary,
      originalTask: isTask && originalTask !== null ? withoutSpeaker(originalTask) : null,
      constraints: rules,
      openItems: summary.openItems.map((item) => attributedWork(item, spoken)),
      facts: [...facts, ...demoted],
    },
    resolved: notes.map((item): ResolvedItem => ({ section: "constraints", item, reason: UNSOURCED })),
  };
}

const UNSOURCED = "no message of a user or of the system says it: it stands as the agent's note";

function attributedWork(item: OpenItem, spoken: SpokenWords): OpenItem {
  return spoken.bearOutWork(item) ? withoutSpeaker(item) : { ...item, by: "agent" };
}

function attributedFact(fact: TextItem, messageOf: MessageLookup): TextItem {
  if (fact.by !== undefined) return fact;
  const isHandoff = fact.sources.length > 0 && fact.sources.every((id) => messageOf(id)?.origin === "compaction");
  return isHandoff ? { ...fact, by: "handoff" } : fact;
}

function asNote({ text, sources }: TextItem): TextItem {
  const by: ItemSpeaker = "agent";
  const note = { text, sources, by };
  return { ...note, id: summaryItemId("facts", note) };
}

function withoutSpeaker<Item extends SummaryItem>(item: Item): Item {
  if (item.by === undefined) return item;
  const { by: _by, ...rest } = item;
  return rest as Item;
}
