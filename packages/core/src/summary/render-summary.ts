import { canonicalJson } from "../json/canonical-json.ts";
import { textSchema } from "../json/json-value.ts";
import * as z from "../json/schema.ts";
import type { MessageId } from "../model/ids.ts";
import { fileName } from "./file-item.ts";
import type {
  ArtifactReference,
  Decision,
  FileItem,
  ItemSpeaker,
  OpenItem,
  PlaceItem,
  StructuredSummary,
  SummarySection,
  SummarySections,
  TextItem,
  ToolOutcome,
} from "./structured-summary.ts";

/** Version of the text form of a summary. Bump it when {@link renderSummary} writes something else for the same summary. */
export const SUMMARY_RENDER_VERSION = "v2.4";

/** Tells the reader of a summary whose words it holds. */
const WHOSE_WORDS = "said by users: Original task, Constraints, unmarked Work items before the dash";

/**
 * A summary as text, the same for the same summary on every machine. It says that it is about the past: what is done is
 * marked as done and nothing in it is an instruction to carry out again (L28). Empty sections are left out, and paths
 * stand below the folder that most of them share. Only the original task keeps its line starts: every other text stays
 * under its bullet or is indented, so that none of them passes for a heading. What reads as a request or a rule and no
 * user or system message bears out is marked as the agent's note; what came of work is told behind a dash, by the agent.
 */
export function renderSummary(summary: StructuredSummary): string {
  const folder = sharedFolder(summary);
  const told = folder === "" ? "" : ` (${SHARED} is ${folder})`;
  const linesOf = <Section extends SummarySection>(name: Section): readonly string[] =>
    SECTION_LINES[name](summary[name], folder);
  const sections = [
    originalTask(summary.originalTask),
    section("Constraints", linesOf("constraints")),
    section(NARRATIVE_TITLE, summary.narrative === undefined ? [] : [indented(summary.narrative.text)]),
    section("Work items", linesOf("openItems")),
    section("Found out", linesOf("facts")),
    section("Decisions made", linesOf("decisions")),
    section(`Files${told}`, linesOf("files")),
    section("Tool outcomes", linesOf("toolOutcomes")),
    section("Errors and resolutions", linesOf("errors")),
    section("Artifacts", linesOf("artifacts")),
    section(`What is where${summary.files.length === 0 ? told : ""}`, placeLines(summary.identifiers, folder)),
    section("Identifiers seen", nameLines(summary.identifiers)),
    section("Task at that point", bullets(summary.currentTask === null ? [] : [summary.currentTask])),
    section(
      "Plan at that point",
      (summary.currentPlan ?? []).map((step, index) => `${index + 1}. ${inset(step)}`),
    ),
  ];
  return [`[Summary ${SUMMARY_RENDER_VERSION} - ${WHOSE_WORDS}]`, ...sections.flat()].join("\n");
}

/** The lines of items of one section, with its paths below the folder that most of them share. */
type SectionLines<Section extends SummarySection> = (
  items: SummarySections[Section],
  folder: string,
) => readonly string[];

const SECTION_LINES: { readonly [Section in SummarySection]: SectionLines<Section> } = {
  constraints: (items) => bullets(items.map(spokenText)),
  openItems: (items) => bullets(inOrderOfTurns(items).map(workLine)),
  facts: (items) => bullets(passages(items)),
  decisions: (items) => bullets(items.map(decisionLine)),
  files: (items, folder) => bullets(items.flatMap((file) => fileLines(file, folder))),
  toolOutcomes: (items) => bullets(items.map(outcomeLine)),
  errors: (items) => bullets(items.map(({ error, resolution }) => `${error} → ${resolution ?? "not resolved yet"}`)),
  artifacts: (items) => bullets(items.map(artifactLine)),
  identifiers: (items, folder) => [...placeLines(items, folder), ...nameLines(items)],
};

/**
 * What {@link renderSummary} writes of one item, without the heading of its section. Items that stand together may share
 * lines, so that those of many items are at most as long as their lines alone.
 *
 * @param folder left out of the paths, with a slash at its end; none by default.
 */
export const renderItem = <Section extends SummarySection>(
  name: Section,
  item: Omit<SummarySections[Section][number], "id">,
  folder = "",
): string => SECTION_LINES[name]([item] as unknown as SummarySections[Section], folder).join("\n");

function originalTask(task: TextItem | null): readonly string[] {
  if (task === null) return [];
  return task.by === undefined
    ? section("Original task (verbatim)", [task.text])
    : section("Original task", bullets([spokenText(task)]));
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`## ${title}`, ...lines];
}

const bullets = (items: readonly string[]): readonly string[] => items.map((item) => `- ${inset(item)}`);

const inset = (text: string): string => text.replace(/[\n\r\v\f\u0085\u2028\u2029]/g, "$&  ");

/** Stands between two statements of one message that it did not say one behind the other. */
const LEFT_OUT = "… ";

/** Statements of one message stand on one line, in the order in which they were said; rows and notes on lines of their own. */
function passages(items: readonly TextItem[]): readonly string[] {
  const lines: string[] = [];
  let before: TextItem | undefined;
  for (const item of items) {
    const [source] = item.sources;
    const isSameMessage = source !== undefined && before?.sources[0] === source && before.by === item.by;
    if (isSameMessage && item.by !== "agent")
      lines.push(`${lines.pop()}${startsRow(item) || endsRow(before) ? "\n" : " "}${gap(before, item)}${item.text}`);
    else lines.push(spokenText(item));
    before = item;
  }
  return lines;
}

/** Rows of a table cannot be told from each other on one line. */
const startsRow = ({ text }: TextItem): boolean => text.startsWith("|");
const endsRow = (item: TextItem | undefined): boolean => item !== undefined && /^\|.*\|$/.test(item.text);

const gap = (before: TextItem | undefined, { at }: TextItem): string =>
  at === undefined || before?.at === undefined || at === before.at + 1 ? "" : LEFT_OUT;

/** Says whose words follow: a model's, which are a source like any other and no instruction. */
const NARRATIVE_TITLE = "Account in the words of the model that wrote it (history, no instruction)";

const indented = (text: string): string => `  ${inset(text)}`.replace(/^ +$/gm, "");

const textOf = ({ text }: TextItem): string => text;

const SPOKEN: Readonly<Record<ItemSpeaker, string>> = {
  agent: "(agent's note) ",
  handoff: "(handoff) ",
  "sub-agent": "(sub-agent) ",
};

const spokenText = ({ text, by }: TextItem): string => `${by === undefined ? "" : SPOKEN[by]}${text}`;

const artifactLine = ({ artifactId, description, rehydrateHint }: ArtifactReference): string =>
  `${artifactId}: ${description}${rehydrateHint === "" ? "" : ` (${rehydrateHint})`}`;

const decisionLine = ({ decision, rationale, turn }: Decision): string =>
  `${decision}${rationale === "" ? "" : ` — ${rationale}`} (turn ${turn})`;

/** Chapters first, which tell what is older than all else, then in the order of turns; what names no turn stays behind its neighbour. */
function inOrderOfTurns(items: readonly OpenItem[]): readonly OpenItem[] {
  let before = 0;
  const placed = items.map((item) => ({ item, turn: (before = item.turn ?? before) }));
  const rank = ({ item, turn }: (typeof placed)[number]): number => (item.kind === "chapter" ? -1 : turn);
  return placed.sort((a, b) => rank(a) - rank(b)).map(({ item }) => item);
}

const workLine = ({ status, priority, description, context, by, kind }: OpenItem): string =>
  `[${status}${by === undefined ? "" : kind === "todo" ? ", to-do" : ", agent's note"}] ${description}${priority === "medium" ? "" : ` (${priority})`}${context === "" ? "" : ` — ${context}`}`;

/** Stands for the folder that most paths of a summary lie in. */
const SHARED = "…/";

/** A path as the summary shows it: with a short sign for the shared folder, where it lies below that. */
export const shownPath = (path: string, folder: string): string =>
  folder !== "" && path.startsWith(folder) ? SHARED + path.slice(folder.length) : path;

/** More names than a reader takes in at once go on in lines of their own. */
const NAMES_PER_LINE = 15;
/** A spelling that code has and prose has not. */
const OF_CODE = /[a-z][A-Z]|[A-Z]{2}|[_$\d]/;

function fileLines(
  { path, action, description, changes = 0, changed = [] }: FileItem,
  folder: string,
): readonly string[] {
  const times = changes > 1 ? `${action}, ${changes} changes` : action;
  const told = [description, namesOfCodeFirst(changed.slice(0, NAMES_PER_LINE)).join(", ")].filter(
    (part) => part !== "",
  );
  const lines = [`${shownPath(path, folder)} (${times})${told.length === 0 ? "" : `: ${told.join("; ")}`}`];
  for (let from = NAMES_PER_LINE; from < changed.length; from += NAMES_PER_LINE)
    lines.push(
      `${fileName(path)}, earlier: ${namesOfCodeFirst(changed.slice(from, from + NAMES_PER_LINE)).join(", ")}`,
    );
  return lines;
}

/** What a reader looks for first, before words of comments and prose that came in with it. */
const namesOfCodeFirst = (names: readonly string[]): readonly string[] => [
  ...names.filter((name) => OF_CODE.test(name)),
  ...names.filter((name) => !OF_CODE.test(name)),
];

/** A command with its outcome; any other tool with its fields. */
function outcomeLine({ toolName, outcome, keyFields, errorMessage }: ToolOutcome): string {
  const { command, result, exitCode, ...others } = keyFields;
  const isRun = typeof command === "string" && command !== "";
  const fields = fieldsText(isRun ? others : keyFields);
  const code = exitCode === undefined || exitCode === 0 ? "" : ` (exit ${canonicalJson(exitCode)})`;
  const came = [
    outcome === "success" ? "" : `${outcome}${isRun ? code : ""}`,
    isRun && result !== undefined ? (typeof result === "string" ? result : canonicalJson(result)) : "",
    fields,
    errorMessage ?? "",
  ].filter((part) => part !== "");
  if (isRun) return `\`${command}\` → ${came.length === 0 ? outcome : came.join(" — ")}`;
  return `${toolName}: ${outcome === "success" ? [outcome, ...came].join(" — ") : came.join(" — ")}`;
}

function fieldsText(fields: ToolOutcome["keyFields"]): string {
  const keys = Object.keys(fields)
    .filter((key) => fields[key] !== undefined)
    .sort();
  return keys.map((key) => `${key}=${canonicalJson(fields[key])}`).join(" ");
}

/** Lines by the source that they stand in, sources in the order of the summary. */
function placeLines(items: readonly PlaceItem[], folder: string): readonly string[] {
  const sources = new Map<string, PlaceItem[]>();
  for (const item of items) {
    if (item.where === undefined) continue;
    const known = sources.get(item.where);
    if (known === undefined) sources.set(item.where, [item]);
    else known.push(item);
  }
  return [...sources].flatMap(([where, own]) => [
    `- ${inset(shownPath(where, folder))}:`,
    ...sideBySide(inOrderOfSource(own).map(textOf)).map((line) => `  ${inset(line)}`),
  ]);
}

/** Lines that one message showed stand in its order, so that they read as an excerpt; messages in the order of the summary. */
function inOrderOfSource(items: readonly PlaceItem[]): readonly PlaceItem[] {
  const shownBy = new Map<MessageId | undefined, PlaceItem[]>();
  for (const item of items) {
    const known = shownBy.get(item.sources[0]);
    if (known === undefined) shownBy.set(item.sources[0], [item]);
    else known.push(item);
  }
  return [...shownBy.values()].flatMap((own) => own.sort((a, b) => (a.at ?? 0) - (b.at ?? 0)));
}

/** A longer row is hard to read. In UTF-16 code units. */
const LONGEST_ROW = 100;

/** Members of a list, each a line of its source, stand side by side as far as a row has room. */
function sideBySide(lines: readonly string[]): readonly string[] {
  const rows: string[] = [];
  for (const line of lines) {
    const before = rows.at(-1);
    const isListed = before?.endsWith(",") === true && line.endsWith(",");
    if (isListed && before.length + line.length < LONGEST_ROW) rows[rows.length - 1] = `${before} ${line}`;
    else rows.push(line);
  }
  return rows;
}

function nameLines(items: readonly PlaceItem[]): readonly string[] {
  const names = items.filter(({ where }) => where === undefined).map(textOf);
  return bullets(names.length === 0 ? [] : [names.join(" · ")]);
}

/** How many paths have to share a folder before naming it once is shorter. */
const FEWEST = 3;
/** A folder nearer to the root says too little to stand for a project. */
const LEAST_DEPTH = 2;

/**
 * The folder, with a slash at its end, that saves most when the absolute paths of a summary are written without it; empty
 * when so few share one that naming it once would not pay.
 */
export function sharedFolder({ files, identifiers }: Pick<StructuredSummary, "files" | "identifiers">): string {
  return sharedFolderOf(
    new Set([...files.map(({ path }) => path), ...identifiers.flatMap(({ where }) => where ?? [])]),
  );
}

/** The shared folder of some paths, each listed once. */
export function sharedFolderOf(paths: ReadonlySet<string>): string {
  const inFolder = new Map<string, number>();
  for (const path of paths) {
    if (!path.startsWith("/") || /\s/.test(path)) continue;
    for (let slash = path.indexOf("/", 1); slash > 0; slash = path.indexOf("/", slash + 1)) {
      const folder = path.slice(0, slash + 1);
      inFolder.set(folder, (inFolder.get(folder) ?? 0) + 1);
    }
  }
  let best = { folder: "", saved: 0 };
  for (const [folder, count] of inFolder) {
    const saved = (count - 1) * folder.length;
    if (count < FEWEST || folder.split("/").length - 2 < LEAST_DEPTH || saved < best.saved) continue;
    if (saved > best.saved || folder > best.folder) best = { folder, saved };
  }
  return best.folder;
}

/** No longer, in UTF-16 code units: these words stand in every request that shows a summary. */
const MAX_WORDING = 2_000;

const words = textSchema
  .max(MAX_WORDING)
  .refine((text) => text.trim() !== "", { error: "expected words, or nothing at all" });

/**
 * The words that a policy puts around its summaries, besides the frame that every summary has: what a system says to
 * its model when it hands one over (Goat, Codex, pi and the AI SDK layer do). They are the operator's own and go out as
 * they are.
 */
export const summaryWordingSchema = z.strictObject({
  /**
   * Lines before the frame of a request's first summary, in the same message. `{round}` stands for the number of folds
   * inside that summary. The systems that these words come from have one summary; where spans that stay leave several,
   * it is said once.
   */
  introduction: words.optional(),
  /**
   * With the summary role `pair` only: the user message holds the summary, and this is what the assistant message says to
   * it. Without it the user message asks, and the assistant message is the summary.
   */
  answer: words.optional(),
  /**
   * With the summary role `pair` and without `answer`: what the user message asks that the summary answers (Spring AI
   * Session's `shadowPrompt`). "What happened in turns 1-4?" when it is left out.
   */
  question: words.optional(),
  /** What the user is made to say behind an assistant message that a folded request ends with (OpenCode's `Continue …`). */
  continuation: words.optional(),
});
export type SummaryWording = Readonly<z.infer<typeof summaryWordingSchema>>;
