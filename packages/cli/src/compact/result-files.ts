import type { CompactData } from "./compact-data.ts";
import type { CompactRun } from "./compact-run.ts";
import { summaryDocument } from "./summary-document.ts";

/**
 * The files that `--out` writes. `request.json` is the payload's canonical JSON and nothing else, so that its SHA-256 is
 * the request's digest; plan and manifest are indented for people.
 */
export function resultFiles(run: CompactRun, data: CompactData): Readonly<Record<string, string>> {
  if (run.prepared === null) throw new RangeError("There is no request to write down.");
  const { plan, manifest, payloadText } = run.prepared;
  return {
    "plan.json": indented(plan),
    "request.json": payloadText,
    "manifest.json": indented(manifest),
    "summary.md": summaryDocument(run, data),
  };
}

const indented = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
