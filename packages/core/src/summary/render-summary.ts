import { canonicalJson } from "../json/canonical-json.ts";
import { textSchema } from "../json/json-value.ts";
import * as z from "../json/schema.ts";
import type { MessageId } from "../model/ids.ts";
import { fileName, isSpelledAsCode, sharedFolder, shownPath } from "./file-item.ts";
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

/**
 * Version of the text form of a summary. Bump it when {@link renderSummary} changes its output for the same summary.
 */
export const SUMMARY_RENDER_VERSION = "v2.7";

/** Tells the reader of a summary which parts are the words of users. */
const WHOSE_WORDS = "said by users: Original task, Constraints, unmarked Work items before the dash";

/**
 * Renders a summary as text; the result is the same on every machine. The text makes clear that it is about the past:
 * finished work is marked as done, and nothing in it is an instruction to carry out again (L28). Empty sections are
 * left out, and paths are shown relative to the folder that most of them share. Only the original task keeps its line
 * starts; all other text is under its bullet or indented, so that none of it can pass for a heading. What reads as a
 * request or a rule but is not supported by a user or system message is marked as the agent's note; the result of work
 * follows a dash, in the agent's words.
 */
export function renderSummary(summary: StructuredSummary): string {
  const folder = sharedFolder(summary);
  const told = folder === "" ? "" : ` (${shownPath(folder, folder)} is ${folder})`;
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
    section("Identifiers seen", nameLines(summary.identifiers, folder)),
    section("Task at that point", bullets(summary.currentTask === null ? [] : [summary.currentTask])),
    section(
      "Plan at that point",
      (summary.currentPlan ?? []).map((step, index) => `${index + 1}. ${inset(step)}`),
    ),
  ];
  return [`[Summary ${SUMMARY_RENDER_VERSION} - ${WHOSE_WORDS}]`, ...sections.flat()].join("\n");
}

/** Returns the lines for the items of one section, with paths relative to the shared folder. */
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
  errors: (items, folder) =>
    bullets(items.map(({ error, resolution }) => `${error} → ${solution(resolution, folder)}`)),
  artifacts: (items) => bullets(items.map(artifactLine)),
  identifiers: (items, folder) => [...placeLines(items, folder), ...nameLines(items, folder)],
};

/**
 * Returns what {@link renderSummary} writes for one item, without the heading of its section. Adjacent items may share
 * lines, so the text of several items is at most as long as the sum of their separate texts.
 *
 * @param folder the folder to leave out of paths, with a trailing slash; none by default.
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

/** Separates two statements of one message that were not adjacent in it. */
const LEFT_OUT = "… ";

/**
 * Statements of one message share a line, in the order in which they were made; table rows and notes get their own, and
 * so do those of a document, which would be a wall of text without its lines.
 */
function passages(items: readonly TextItem[]): readonly string[] {
  const lines: string[] = [];
  let before: TextItem | undefined;
  for (const item of items) {
    const [source] = item.sources;
    const isSameMessage = source !== undefined && before?.sources[0] === source && before.by === item.by;
    if (before !== undefined && isSameMessage && item.by !== "agent")
      lines.push(`${lines.pop()}${between(before, item)}${item.text}`);
    else lines.push(spokenText(item));
    before = item;
  }
  return lines;
}

/** The beginning of a line that would pass for the words of another speaker, whatever signs stand before it. */
const SPEAKS = /^[^\p{L}\p{N}]*(?:agent['’]s note|user|handoff|sub-agent)\s*[)）]/iu;
const isLineOfDocument = ({ by, text }: TextItem): boolean =>
  (by === "handoff" || by === "sub-agent") && !SPEAKS.test(text);
/** Rows of a table could not be told apart on one line. */
const startsRow = ({ text }: TextItem): boolean => text.startsWith("|");
const endsRow = (item: TextItem): boolean => /^\|.*\|$/.test(item.text);

/** What ends a statement, so that the next one may follow it on its line. */
const ENDS = /[.!?。！？:;,…]["'”»)]?$/;

function between(before: TextItem, item: TextItem): string {
  if (isLineOfDocument(item) || startsRow(item) || endsRow(before)) return `\n${gap(before, item)}`;
  return gap(before, item) === "" ? (ENDS.test(before.text) ? " " : "; ") : ` ${LEFT_OUT}`;
}

const gap = (before: TextItem, { at }: TextItem): string =>
  at === undefined || before.at === undefined || at === before.at + 1 ? "" : LEFT_OUT;

/** Says whose words follow: a model's, which are a source like any other and not an instruction. */
const NARRATIVE_TITLE = "Account in the words of the model that wrote it (history, no instruction)";

const indented = (text: string): string => `  ${inset(text)}`.replace(/^ +$/gm, "");

const textOf = ({ text }: TextItem): string => text;

const SPOKEN: Readonly<Record<ItemSpeaker, string>> = {
  agent: "(agent's note) ",
  user: "(user) ",
  handoff: "(handoff) ",
  "sub-agent": "(sub-agent) ",
};

const spokenText = ({ text, by }: TextItem): string => `${by === undefined ? "" : SPOKEN[by]}${text}`;

const artifactLine = ({ artifactId, description, rehydrateHint }: ArtifactReference): string =>
  `${artifactId}: ${description}${rehydrateHint === "" ? "" : ` (${rehydrateHint})`}`;

const decisionLine = ({ decision, rationale, turn }: Decision): string =>
  `${decision}${rationale === "" ? "" : ` — ${rationale}`} (turn ${turn})`;

/** What solved an error, with paths as under the files. */
const solution = (resolution: string | null, folder: string): string =>
  resolution === null ? "not resolved yet" : resolution.replace(/[^\s`'"(]+/g, (word) => shownPath(word, folder));

/**
 * Orders chapters first, because they are older than everything else, then by turn; items without a turn keep their
 * place.
 */
function inOrderOfTurns(items: readonly OpenItem[]): readonly OpenItem[] {
  let before = 0;
  const placed = items.map((item) => ({ item, turn: (before = item.turn ?? before) }));
  const rank = ({ item, turn }: (typeof placed)[number]): number => (item.kind === "chapter" ? -1 : turn);
  return placed.sort((a, b) => rank(a) - rank(b)).map(({ item }) => item);
}

const workLine = ({ status, priority, description, context, by, kind }: OpenItem): string =>
  `[${status}${by === undefined ? "" : kind === "todo" ? ", to-do" : ", agent's note"}] ${description}${priority === "medium" ? "" : ` (${priority})`}${context === "" ? "" : ` — ${context}`}`;

/** The most names on one line, and its length in UTF-16 code units; more than a reader takes in continue on others. */
const NAMES_PER_LINE = 15;
const NAMES_LENGTH = 300;

function fileLines(
  { path, action, description, changes = 0, changed = [] }: FileItem,
  folder: string,
): readonly string[] {
  const times = changes > 1 ? `${action}, ${changes} changes` : action;
  const [newest = [], ...earlier] = rowsOf(changed);
  const told = [description, namesOfCodeFirst(newest).join(", ")].filter((part) => part !== "");
  return [
    `${shownPath(path, folder)} (${times})${told.length === 0 ? "" : `: ${told.join("; ")}`}`,
    ...earlier.map((names) => `${fileName(path)}, earlier: ${namesOfCodeFirst(names).join(", ")}`),
  ];
}

function rowsOf(names: readonly string[]): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let length = 0;
  for (const name of names) {
    length += name.length;
    const row = rows.at(-1);
    if (row !== undefined && row.length < NAMES_PER_LINE && length <= NAMES_LENGTH) row.push(name);
    else {
      rows.push([name]);
      length = name.length;
    }
  }
  return rows;
}

/** Puts what a reader looks for first before words from comments and prose that were added with it. */
const namesOfCodeFirst = (names: readonly string[]): readonly string[] => [
  ...names.filter(tellsMuch),
  ...names.filter((name) => !tellsMuch(name)),
];

/** A name of code, or a quoted line. */
const tellsMuch = (name: string): boolean => name.startsWith("“") || isSpelledAsCode(name);

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

/** Lines grouped by their source, sources in the order of the summary. */
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

/** Lines from one message in its order, so that they read as an excerpt; messages in the order of the summary. */
function inOrderOfSource(items: readonly PlaceItem[]): readonly PlaceItem[] {
  const shownBy = new Map<MessageId | undefined, PlaceItem[]>();
  for (const item of items) {
    const known = shownBy.get(item.sources[0]);
    if (known === undefined) shownBy.set(item.sources[0], [item]);
    else known.push(item);
  }
  return [...shownBy.values()].flatMap((own) => own.sort((a, b) => (a.at ?? 0) - (b.at ?? 0)));
}

/** The longest row, in UTF-16 code units; longer ones are hard to read. */
const LONGEST_ROW = 100;

/** Puts list members that are each a line in their source side by side, as many as a row has room for. */
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

function nameLines(items: readonly PlaceItem[], folder: string): readonly string[] {
  const names = items.filter(({ where }) => where === undefined).map(({ text }) => shownPath(text, folder));
  return bullets(names.length === 0 ? [] : [names.join(" · ")]);
}

/** The longest wording, in UTF-16 code units: these words are part of every request that shows a summary. */
const MAX_WORDING = 2_000;

const words = textSchema
  .max(MAX_WORDING)
  .refine((text) => text.trim() !== "", { error: "expected words, or nothing at all" });

/**
 * The words that a policy puts around its summaries, in addition to the frame that every summary has: what a system
 * says to its model when it hands a summary over (as Goat, Codex, pi and the AI SDK layer do). They are the operator's
 * own and are sent unchanged.
 */
export const summaryWordingSchema = z.strictObject({
  /**
   * Lines before the frame of a request's first summary, in the same message. `{round}` is replaced with the number of
   * folds inside that summary. The systems that these words come from have one summary; if a request has several
   * because spans between them stay, the introduction appears once.
   */
  introduction: words.optional(),
  /**
   * Only for the summary role `pair`: the user message contains the summary, and this is the assistant's answer to it.
   * Without it, the user message asks a question, and the assistant message is the summary.
   */
  answer: words.optional(),
  /**
   * For the summary role `pair` without `answer`: the question in the user message that the summary answers (Spring AI
   * Session's `shadowPrompt`). If absent, a question such as "What happened in turns 1-4?".
   */
  question: words.optional(),
  /** The user message that is added when a folded request ends with an assistant message (OpenCode's `Continue …`). */
  continuation: words.optional(),
});
export type SummaryWording = Readonly<z.infer<typeof summaryWordingSchema>>;
