import { canonicalJson } from "../json/canonical-json.ts";
import { sharedFolder } from "./shared-folder.ts";
import type {
  Decision,
  FileItem,
  ItemSpeaker,
  OpenItem,
  PlaceItem,
  StructuredSummary,
  TextItem,
  ToolOutcome,
} from "./structured-summary.ts";

/** Version of the text form of a summary. Bump it when {@link renderSummary} writes something else for the same summary. */
export const SUMMARY_RENDER_VERSION = "v2.1";

/** Says to whoever reads a summary whose words it holds. */
const WHOSE_WORDS = "said by users: Original task, Constraints, unmarked Work items";

/**
 * A summary as text, the same for the same summary on every machine (seed 002, `render_as_message`). It says that it
 * tells of the past: what is done is marked as done and nothing in it is an instruction to carry out again (L28). Empty
 * sections are left out, and paths stand below the folder that most of them share. Only the original task keeps its line
 * starts: every other text stays under its bullet or is indented, so that none of them passes for a heading. What reads as
 * a request or a rule and no user or system message bears out is marked as the agent's note.
 */
export function renderSummary(summary: StructuredSummary): string {
  const folder = sharedFolder(summary);
  const told = folder === "" ? "" : ` (${SHARED} is ${folder})`;
  const sections = [
    originalTask(summary.originalTask),
    section("Constraints", bullets(summary.constraints.map(spokenText))),
    section(NARRATIVE_TITLE, summary.narrative === undefined ? [] : [indented(summary.narrative.text)]),
    section("Work items", bullets(chaptersFirst(summary.openItems).map(workLine))),
    section("Found out", bullets(passages(summary.facts))),
    section("Decisions made", bullets(summary.decisions.map(decisionLine))),
    section(`Files${told}`, bullets(summary.files.map((file) => fileLine(file, folder)))),
    section("Tool outcomes", bullets(summary.toolOutcomes.map(outcomeLine))),
    section(
      "Errors and resolutions",
      bullets(summary.errors.map(({ error, resolution }) => `${error} → ${resolution ?? "not resolved yet"}`)),
    ),
    section(
      "Artifacts",
      bullets(
        summary.artifacts.map(
          ({ artifactId, description, rehydrateHint }) =>
            `${artifactId}: ${description}${rehydrateHint === "" ? "" : ` (${rehydrateHint})`}`,
        ),
      ),
    ),
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

const inset = (text: string): string => text.replace(/[\n\r\u2028\u2029]/g, "$&  ");

/** Statements that follow each other and come from one message stand on one line, as they were said; notes on lines of their own. */
function passages(items: readonly TextItem[]): readonly string[] {
  const lines: string[] = [];
  let before: TextItem | undefined;
  for (const item of items) {
    const [source] = item.sources;
    const isSameMessage = source !== undefined && before?.sources[0] === source && before.by === item.by;
    if (isSameMessage && item.by !== "agent") lines.push(`${lines.pop()} ${item.text}`);
    else lines.push(spokenText(item));
    before = item;
  }
  return lines;
}

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

const decisionLine = ({ decision, rationale, turn }: Decision): string =>
  `${decision}${rationale === "" ? "" : ` — ${rationale}`} (turn ${turn})`;

/** What chapters tell is older than all else. */
function chaptersFirst(items: readonly OpenItem[]): readonly OpenItem[] {
  const chapters = items.filter(({ kind }) => kind === "chapter");
  return chapters.length === 0 ? items : [...chapters, ...items.filter(({ kind }) => kind !== "chapter")];
}

const workLine = ({ status, priority, description, context, by, kind }: OpenItem): string =>
  `[${status}${by === undefined ? "" : kind === "todo" ? ", to-do" : ", agent's note"}] ${description}${priority === "medium" ? "" : ` (${priority})`}${context === "" ? "" : ` — ${context}`}`;

/** Stands for the folder that most paths of a summary lie in. */
const SHARED = "…/";

/** A path as the summary shows it: with a short sign for the shared folder, where it lies below that. */
export const shownPath = (path: string, folder: string): string =>
  folder !== "" && path.startsWith(folder) ? SHARED + path.slice(folder.length) : path;

function fileLine({ path, action, description, changes = 0, changed = [] }: FileItem, folder: string): string {
  const times = changes > 1 ? `${action}, ${changes} changes` : action;
  const told = [description, changed.join(", ")].filter((part) => part !== "").join("; ");
  return `${shownPath(path, folder)} (${times})${told === "" ? "" : `: ${told}`}`;
}

/** A command with what it came to; any other tool with its fields. */
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

/** Lines by the source that they stand in, sources and lines in the order of the summary. */
function placeLines(items: readonly PlaceItem[], folder: string): readonly string[] {
  const sources = new Map<string, string[]>();
  for (const { where, text } of items) {
    if (where === undefined) continue;
    const lines = sources.get(where);
    if (lines === undefined) sources.set(where, [text]);
    else lines.push(text);
  }
  return [...sources].flatMap(([where, lines]) => [
    `- ${inset(shownPath(where, folder))}:`,
    ...lines.map((line) => `  ${inset(line)}`),
  ]);
}

function nameLines(items: readonly PlaceItem[]): readonly string[] {
  const names = items.filter(({ where }) => where === undefined).map(textOf);
  return bullets(names.length === 0 ? [] : [names.join(" · ")]);
}
