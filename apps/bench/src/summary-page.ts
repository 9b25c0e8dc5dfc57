/** Number of lines shown of each section. */
const SHOWN_LINES = 2;
const LONGEST_LINE = 190;
/** Sections that consist of bare names, or nearly so. */
const LISTS = /^## What is where/;
/** A home directory at the start of a path, with a common work folder in it: it says nothing about a session. */
const HOME = /(?:\/Users|\/home)\/[a-z]+(?:\/(?:[Ww]ork\w*|[Pp]rojects|src))?(?=\/)/g;
/** A block of the page that shows a summary: the session, the number of tokens, the fold. */
const BLOCK = /^```text (\S+) (\d+) (\d+|last)\n[\s\S]*?^```$/gm;

/** The summary that a block of the page shows. */
export interface ShownSummary {
  readonly name: string;
  readonly budgetTokens: number;
  /** Number of the fold; the last one is shown if there are fewer. */
  readonly fold: number;
}

/** Returns the page with every summary in it rewritten. */
export async function refreshedPage(page: string, textOf: (shown: ShownSummary) => Promise<string>): Promise<string> {
  let refreshed = "";
  let end = 0;
  for (const block of page.matchAll(BLOCK)) {
    const [whole, name = "", budget = "", fold = ""] = block;
    const shown = {
      name,
      budgetTokens: Number(budget),
      fold: fold === "last" ? Number.POSITIVE_INFINITY : Number(fold),
    };
    const text = summaryExcerpt(await textOf(shown));
    refreshed += `${page.slice(end, block.index)}\`\`\`text ${name} ${budget} ${fold}\n${text}\n\`\`\``;
    end = block.index + whole.length;
  }
  return refreshed + page.slice(end);
}

/** Returns the first lines of each section and marks what is left out. Lists of names keep only their title. */
export function summaryExcerpt(text: string): string {
  const [head = "", ...sections] = text.replace(HOME, "~").split(/^(?=## |\[(?:Summary|Context|End) )/m);
  return [head, ...sections].map(sectionExcerpt).join("\n");
}

function sectionExcerpt(section: string): string {
  const [title = "", ...lines] = section.split("\n").filter((line) => line.trim() !== "");
  const shown = LISTS.test(title) ? [] : lines.slice(0, SHOWN_LINES);
  const left = lines.length - shown.length;
  const more = left === 0 ? [] : [`  [… ${left} more ${left === 1 ? "line" : "lines"}]`];
  return [cut(title), ...shown.map(cut), ...more].join("\n");
}

const cut = (line: string): string => (line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE)} […]`);
