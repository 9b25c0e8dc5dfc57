import type { FileItem, StructuredSummary, ToolOutcome } from "./structured-summary.ts";

/** Version of the text form of a summary. Bump it when {@link renderSummary} writes something else for the same summary. */
export const SUMMARY_RENDER_VERSION = "v1.0";

/**
 * A summary as text, the same for the same summary on every machine (seed 002, `render_as_message`). It says that it
 * tells of the past: what is done is marked as done and nothing in it is an instruction to carry out again (L28). Empty
 * sections are left out.
 */
export function renderSummary(summary: StructuredSummary): string {
  const sections = [
    section("Original task (verbatim)", summary.originalTask === null ? [] : [summary.originalTask.text]),
    section("Constraints", bullets(summary.constraints.map((item) => item.text))),
    section("Facts", bullets(summary.facts.map((item) => item.text))),
    section("Decisions made", bullets(summary.decisions.map(({ decision, rationale, turn }) =>
      `${decision}${rationale === "" ? "" : ` — ${rationale}`} (turn ${turn})`))),
    section("Work items", summary.openItems.map(({ status, priority, description, context }) =>
      `- [${status}] ${description}${priority === "medium" ? "" : ` (${priority})`}${context === "" ? "" : ` — ${context}`}`)),
    section("Files", bullets(summary.files.map(fileLine))),
    section("Tool outcomes", bullets(summary.toolOutcomes.map(outcomeLine))),
    section("Errors and resolutions", bullets(summary.errors.map(({ error, resolution }) =>
      `${error} → ${resolution ?? "not resolved yet"}`))),
    section("Artifacts", bullets(summary.artifacts.map(({ artifactId, description, rehydrateHint }) =>
      `${artifactId}: ${description}${rehydrateHint === "" ? "" : ` (${rehydrateHint})`}`))),
    section("Identifiers seen", summary.identifiers.length === 0 ? [] : [summary.identifiers.map((item) => item.text).join(" · ")]),
    section("Task at that point", summary.currentTask === null ? [] : [summary.currentTask]),
    section("Plan at that point", (summary.currentPlan ?? []).map((step, index) => `${index + 1}. ${step}`)),
  ];
  return [`[Summary ${SUMMARY_RENDER_VERSION}]`, ...sections.flat()].join("\n");
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`## ${title}`, ...lines];
}

const bullets = (lines: readonly string[]): readonly string[] => lines.map((line) => `- ${line}`);

const fileLine = ({ path, action, description }: FileItem): string =>
  `${path} (${action})${description === "" ? "" : `: ${description}`}`;

function outcomeLine({ toolName, outcome, keyFields, errorMessage }: ToolOutcome): string {
  const fields = Object.keys(keyFields).sort().map((key) => `${key}=${JSON.stringify(keyFields[key])}`).join(" ");
  return [`${toolName}: ${outcome}`, fields, errorMessage ?? ""].filter((part) => part !== "").join(" — ");
}
