import { canonicalJson } from "../json/canonical-json.ts";
import type { FileItem, StructuredSummary, ToolOutcome } from "./structured-summary.ts";

/** Version of the text form of a summary. Bump it when {@link renderSummary} writes something else for the same summary. */
export const SUMMARY_RENDER_VERSION = "v1.0";

/**
 * A summary as text, the same for the same summary on every machine (seed 002, `render_as_message`). It says that it
 * tells of the past: what is done is marked as done and nothing in it is an instruction to carry out again (L28). Empty
 * sections are left out. Only the original task keeps its line starts: every other text stays under its bullet, so that
 * none of them passes for a heading.
 */
export function renderSummary(summary: StructuredSummary): string {
  const sections = [
    section("Original task (verbatim)", summary.originalTask === null ? [] : [summary.originalTask.text]),
    section("Constraints", bullets(summary.constraints.map((item) => item.text))),
    section("Facts", bullets(summary.facts.map((item) => item.text))),
    section(
      "Decisions made",
      bullets(
        summary.decisions.map(
          ({ decision, rationale, turn }) => `${decision}${rationale === "" ? "" : ` — ${rationale}`} (turn ${turn})`,
        ),
      ),
    ),
    section(
      "Work items",
      bullets(
        summary.openItems.map(
          ({ status, priority, description, context }) =>
            `[${status}] ${description}${priority === "medium" ? "" : ` (${priority})`}${context === "" ? "" : ` — ${context}`}`,
        ),
      ),
    ),
    section("Files", bullets(summary.files.map(fileLine))),
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
    section(
      "Identifiers seen",
      bullets(summary.identifiers.length === 0 ? [] : [summary.identifiers.map((item) => item.text).join(" · ")]),
    ),
    section("Task at that point", bullets(summary.currentTask === null ? [] : [summary.currentTask])),
    section(
      "Plan at that point",
      (summary.currentPlan ?? []).map((step, index) => `${index + 1}. ${inset(step)}`),
    ),
  ];
  return [`[Summary ${SUMMARY_RENDER_VERSION}]`, ...sections.flat()].join("\n");
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`## ${title}`, ...lines];
}

const bullets = (items: readonly string[]): readonly string[] => items.map((item) => `- ${inset(item)}`);

const inset = (text: string): string => text.replace(/[\n\r\u2028\u2029]/g, "$&  ");

const fileLine = ({ path, action, description }: FileItem): string =>
  `${path} (${action})${description === "" ? "" : `: ${description}`}`;

function outcomeLine({ toolName, outcome, keyFields, errorMessage }: ToolOutcome): string {
  const keys = Object.keys(keyFields)
    .filter((key) => keyFields[key] !== undefined)
    .sort();
  const fields = keys.map((key) => `${key}=${canonicalJson(keyFields[key])}`).join(" ");
  return [`${toolName}: ${outcome}`, fields, errorMessage ?? ""].filter((part) => part !== "").join(" — ");
}
