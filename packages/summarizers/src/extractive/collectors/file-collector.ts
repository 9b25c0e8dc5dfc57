import type { FileItem, StructuredSummary } from "@threadfold/core";
import type { CallReading } from "../reading/call-reading.ts";
import type { Place } from "../reading/place.ts";
import type { ResultReading } from "../reading/result-reading.ts";
import type { Candidate } from "../selection/candidate.ts";
import type { Harvest, HarvestContext, SpanCollector } from "../span-collector.ts";
import type { FileAction } from "../tools/file-action.ts";

type Action = FileItem["action"];

interface FileHistory {
  readonly path: string;
  action: Action;
  changes: number;
  reads: number;
  last: Place;
  readonly sources: Place[];
}

/** How much a developer who takes over wants to know of it. */
const WORTH: Readonly<Record<Action, number>> = { modified: 4, created: 4, deleted: 3, read: 0 };
/** Reading a file once leaves its path to the index of identifiers. */
const READS_WORTH_A_LINE = 2;

/** Finds the files that calls touched, and the strongest thing that was done to each. A call that failed did nothing. */
export class FileCollector implements SpanCollector {
  readonly #files = new Map<string, FileHistory>();

  result({ call, failed, place }: ResultReading): void {
    if (call === null) return;
    for (const file of call.files)
      if (!failed || (call.kind === "shell" && file.action !== "read")) this.#note(file, call, place);
  }

  #note({ path, action }: FileAction, call: CallReading, place: Place): void {
    const known = this.#files.get(path);
    if (known === undefined) {
      const history: FileHistory = { path, action, changes: 0, reads: 0, last: place, sources: [call.place] };
      this.#files.set(path, history);
      return count(history, action);
    }
    known.action = strongest(known.action, action);
    known.last = place;
    if (action !== "read") known.sources.push(call.place);
    count(known, action);
  }

  harvest({ previous, messages }: HarvestContext): Harvest {
    const before = new Map((previous?.files ?? []).map((file) => [file.path, file]));
    const candidates = [...this.#files.values()]
      .filter(({ action, reads }) => action !== "read" || reads >= READS_WORTH_A_LINE)
      .flatMap((history) => candidateOf(history, before.get(history.path), messages.length));
    return { candidates };
  }
}

function count(history: FileHistory, action: Action): void {
  if (action === "read") history.reads++;
  else history.changes++;
}

/** What is true of a file after both: a file made and then changed was made, one made again after it was deleted was changed. */
function strongest(earlier: Action, later: Action): Action {
  if (later === "read") return earlier;
  if (later === "deleted") return "deleted";
  if (earlier === "created") return "created";
  return "modified";
}

function candidateOf(
  history: FileHistory,
  before: StructuredSummary["files"][number] | undefined,
  length: number,
): readonly Candidate[] {
  const action = before === undefined ? history.action : strongest(before.action, history.action);
  if (before !== undefined && action === before.action) return [];
  const sources = [...new Set([history.sources[0], history.sources.at(-1)].map((place) => (place as Place).messageId))];
  const description = history.changes > 1 ? `${history.changes} changes` : "";
  const worth = WORTH[action] + Math.log1p(history.changes + history.reads / 2) + (history.last.position + 1) / length;
  const item = { path: history.path, action, description, sources };
  return [{ section: "files", item, worth, ...(before !== undefined && { supersedes: before.id }) }];
}
