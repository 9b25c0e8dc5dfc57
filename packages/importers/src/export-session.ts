import { ThreadfoldError } from "@threadfold/core";
import { claudeCodeExporter } from "./claude-code/claude-code-exporter.ts";
import type { ExportedSession, ExportFormat, SessionExport, SessionExporter } from "./exporting/session-exporter.ts";
import { piExporter } from "./pi/pi-exporter.ts";

/** Every exporter, one for each format that can be exported. */
export const EXPORTERS: readonly SessionExporter[] = Object.freeze([piExporter, claudeCodeExporter]);

/**
 * Exports a folded thread as another tool's session file, so that the tool continues with what the plan shows. The log
 * is only appended to: what was folded away is still in it.
 *
 * @throws ThreadfoldError `UNKNOWN_FORMAT`, or `WRONG_FORMAT` when the source is not in the export format.
 */
export function exportSession(format: ExportFormat, session: SessionExport): ExportedSession {
  const exporter = EXPORTERS.find((one) => one.format === format);
  if (exporter !== undefined) return exporter.export(session);
  throw new ThreadfoldError("UNKNOWN_FORMAT", "There is no exporter for this format.", {
    hint: `Formats that can be written: ${EXPORTERS.map((one) => one.format).join(", ")}.`,
  });
}
