import type { MessageId } from "../model/ids.ts";
import type { Message } from "../model/message.ts";
import { visibleText } from "../model/message-header.ts";
import { beginsWith, saysInOwnWords, saysVerbatim } from "./borne-out.ts";
import type { OpenItem, StructuredSummary, SummaryItem, TextItem } from "./structured-summary.ts";

/** What a work item says that stands for the original task, whose words are in a place of their own. */
export const ORIGINAL_TASK_ITEM = "The original task";

/** Looks messages up by id; undefined for one that the thread does not have. */
export type MessageLookup = (id: MessageId) => Pick<Message, "role" | "origin" | "branch" | "parts"> | undefined;

/**
 * True for a message in which a person speaks, or the operator: of a user or of the system, on the main branch, and not put
 * there by a harness or by another tool's compaction. Sub-agents, tools and assistants speak for nobody.
 */
export const isPersonal = ({ role, origin, branch }: Pick<Message, "role" | "origin" | "branch">): boolean =>
  (role === "user" || role === "system") && origin === undefined && branch === undefined;

/** An item that reads as an instruction, a request, a permission or a commitment, and that no user or system message bears out. */
export type UnsourcedItem =
  | { readonly section: "originalTask" | "constraints" | "facts"; readonly item: TextItem }
  | { readonly section: "openItems"; readonly item: OpenItem };

/**
 * The items of a summary that read as what a user asked, ruled or allowed, and that none of their sources bears out: no
 * message of a user or of the system among them says so. Rendering marks them as the agent's own notes. Facts are among
 * them that a summarizer had written as a rule or as the task. Questions to the user are the agent's by their nature.
 */
export function unsourcedItems(summary: StructuredSummary, messageOf: MessageLookup): readonly UnsourcedItem[] {
  const { originalTask, constraints, openItems, facts } = summary;
  const spoken = new SpokenWords(messageOf);
  return [
    ...(originalTask === null || spoken.bearOutTask(originalTask)
      ? []
      : [{ section: "originalTask" as const, item: originalTask }]),
    ...constraints
      .filter((item) => !spoken.bearOutRule(item))
      .map((item) => ({ section: "constraints" as const, item })),
    ...openItems.filter((item) => !spoken.bearOutWork(item)).map((item) => ({ section: "openItems" as const, item })),
    ...facts.filter(({ by }) => by === "agent").map((item) => ({ section: "facts" as const, item })),
  ];
}

/** The unsourced items of all summaries of a plan, in the order of its records; see {@link unsourcedItems}. */
export function unsourcedInPlan(
  { summarizations }: { readonly summarizations: readonly { readonly summary: StructuredSummary }[] },
  messageOf: MessageLookup,
): readonly UnsourcedItem[] {
  return summarizations.flatMap(({ summary }) => unsourcedItems(summary, messageOf));
}

/** What users and the system said, by message. Each message is read once. */
export class SpokenWords {
  readonly #messageOf: MessageLookup;
  readonly #texts = new Map<MessageId, string | null>();

  constructor(messageOf: MessageLookup) {
    this.#messageOf = messageOf;
  }

  /** True when a source says the task, or begins with it. */
  bearOutTask({ text, sources }: Omit<TextItem, "id">): boolean {
    return this.#said(sources).some((said) => saysVerbatim(said, text) || beginsWith(said, text));
  }

  /** True when a source says the rule word for word, as whole sentences. */
  bearOutRule({ text, sources }: Omit<TextItem, "id">): boolean {
    return this.#said(sources).some((said) => saysVerbatim(said, text));
  }

  /**
   * True when a source says what is asked, word for word or in its own words. A question of the agent needs none, nor does
   * what only points to the task.
   */
  bearOutWork({ description, kind, sources }: Omit<OpenItem, "id">): boolean {
    if (kind === "question" || description === ORIGINAL_TASK_ITEM) return true;
    return this.#said(sources).some((said) => saysVerbatim(said, description) || saysInOwnWords(said, description));
  }

  #said(sources: SummaryItem["sources"]): readonly string[] {
    return sources.flatMap((id) => this.#textOf(id) ?? []);
  }

  #textOf(id: MessageId): string | null {
    const known = this.#texts.get(id);
    if (known !== undefined) return known;
    const message = this.#messageOf(id);
    const text = message === undefined || !isPersonal(message) ? null : visibleText(message);
    this.#texts.set(id, text);
    return text;
  }
}
