import { describeImportWarning, type ImportedSession } from "@threadfold/importers";
import { describeWarning, type RenderWarning } from "@threadfold/renderer";
import type { CliWarning } from "../cli-command.ts";
import { singleLine } from "../output/plain-text.ts";

/** What reading a session got over. */
export function importWarnings({ malformed, warnings }: ImportedSession): readonly CliWarning[] {
  return [
    ...malformed.map(({ line, path, problem, excerpt }) => ({
      code: "malformed-record",
      message:
        `line ${line}${path === undefined ? "" : `, ${path}`} was skipped: ${problem}` +
        (excerpt === undefined ? "" : ` (it begins ${singleLine(excerpt, 40)})`),
    })),
    ...warnings.map((warning) => ({ code: warning.kind, message: describeImportWarning(warning) })),
  ];
}

/** What rendering lost or repaired. */
export const renderWarnings = (warnings: readonly RenderWarning[]): readonly CliWarning[] =>
  warnings.map((warning) => ({ code: warning.kind, message: describeWarning(warning) }));
