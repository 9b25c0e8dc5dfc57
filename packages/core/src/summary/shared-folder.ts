import type { StructuredSummary } from "./structured-summary.ts";

/** So many paths have to share a folder before naming it once is shorter. */
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

/** The same of some paths, each given once. */
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
