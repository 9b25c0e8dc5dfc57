import type { Decision, ErrorItem, OpenItem, SummaryItem, SummarySection } from "./structured-summary.ts";

/**
 * What an item is about, as a key within its section. Two items on one subject cannot both hold: work is open or done, a
 * decision has one reason, an error is resolved or not. All other items are about themselves alone.
 */
export function summarySubject(section: SummarySection, item: SummaryItem): string {
  const words = subjectWords(section, item);
  return words === null ? item.id : words.replace(/\s+/g, " ").trim();
}

function subjectWords(section: SummarySection, item: SummaryItem): string | null {
  switch (section) {
    case "openItems":
      return (item as OpenItem).description;
    case "decisions":
      return (item as Decision).decision;
    case "errors":
      return (item as ErrorItem).error;
    default:
      return null;
  }
}
