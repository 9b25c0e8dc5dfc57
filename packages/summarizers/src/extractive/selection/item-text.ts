import {
  emptySummary,
  renderSummary,
  type StructuredSummary,
  type SummaryItem,
  type SummarySection,
  shownPath,
} from "@threadfold/core";
import type { Candidate } from "./candidate.ts";

type AnyItem = Candidate["item"];

/** The text of an item that tells it from others: two items of one section that say the same have the same one. */
export function itemText(section: SummarySection, item: AnyItem): string {
  const fields = item as unknown as Readonly<Record<string, unknown>>;
  switch (section) {
    case "decisions":
      return String(fields["decision"]);
    case "openItems":
      return String(fields["description"]);
    case "files":
      return String(fields["path"]);
    case "errors":
      return String(fields["error"]);
    case "artifacts":
      return String(fields["artifactId"]);
    case "toolOutcomes":
      return `${fields["toolName"]} ${JSON.stringify(fields["keyFields"])}`;
    default:
      return String(fields["text"]);
  }
}

const NOTHING = emptySummary({ messageIds: [], firstTurn: 0, lastTurn: 0 });

/**
 * An item as the rendered summary shows it: paths without the folder that most of them share, and without whose words they
 * are, which is said once for all that one message tells.
 */
export function itemLine(section: SummarySection, item: AnyItem, folder: string): string {
  const { by: _by, ...said } = item;
  const shown = "path" in said ? { ...said, path: shownPath(said.path, folder) } : said;
  const alone = { ...NOTHING, [section]: [{ ...shown, id: "" } as SummaryItem] } as StructuredSummary;
  return renderSummary(alone).split("\n").slice(2).join("\n");
}
