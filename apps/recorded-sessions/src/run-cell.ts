import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { callThreadfold } from "./call-threadfold.ts";
import { checkReachable } from "./check-reachable.ts";
import type { CellResult, MatrixCell } from "./matrix-cell.ts";

/** The part of `compact --json`'s data that is checked. */
interface CompactData {
  readonly threadId: string;
  readonly source: { readonly messages: number };
  readonly tokens: { readonly before: number; readonly after: number; readonly budget: number };
  readonly actions: Readonly<Record<string, number>>;
  readonly request?: { readonly digest: string };
  readonly violations: readonly unknown[];
  readonly pins: { readonly live: number; readonly present: number };
}

// What is looked at is what a store holds; how lasting the disk below it is makes no difference, and waiting for it does.
const PLACE = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** What is done with a session: only folded, or afterwards also replayed, verified, and looked through for every message. */
export type CellDepth = "fold" | "fold-and-check";

/** Folds one session through the command's own entry and, where that is asked for, checks what the store then holds. */
export async function runCell(
  { file, budget, format, preset }: MatrixCell,
  depth: CellDepth = "fold-and-check",
): Promise<CellResult> {
  const folder = mkdtempSync(join(PLACE, "threadfold-matrix-"));
  const store = join(folder, "store.db");
  try {
    const started = performance.now();
    const compact = await callThreadfold([
      "compact",
      file.path,
      "--budget",
      String(budget),
      "--format",
      format,
      ...(preset === undefined ? [] : ["--preset", preset]),
      "--store",
      store,
      "--json",
    ]);
    const milliseconds = performance.now() - started;
    const data = compact.envelope.data as CompactData | undefined;
    const problems =
      compact.exitCode === 6
        ? infeasibleProblems(compact.envelope.error, budget)
        : [
            ...foldProblems(compact.exitCode, data, budget),
            ...(depth === "fold" ? [] : await storeProblems(data, store, file.path)),
          ];
    return {
      name: file.name,
      budget,
      format,
      exitCode: compact.exitCode,
      before: data?.tokens.before ?? 0,
      after: data?.tokens.after ?? 0,
      messages: data?.source.messages ?? 0,
      actions: data?.actions ?? {},
      digest: data?.request?.digest ?? "",
      milliseconds,
      problems,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function foldProblems(exitCode: number, data: CompactData | undefined, budget: number): readonly string[] {
  if (exitCode !== 0 || data === undefined) return [`compact ended with exit code ${exitCode}`];
  const problems: string[] = [];
  if (data.tokens.after > budget) problems.push(`${data.tokens.after} tokens exceed the budget`);
  if (data.violations.length > 0)
    problems.push(`${data.violations.length} violations: ${JSON.stringify(data.violations[0])}`);
  if (data.pins.present !== data.pins.live) problems.push(`${data.pins.present} of ${data.pins.live} pins are present`);
  if (!data.request?.digest) problems.push("there is no request");
  return problems;
}

/** Exit code 6 is right only when what may not be folded is larger than the budget alone, and the message adds it up. */
function infeasibleProblems(
  error: { readonly code: string; readonly message: string } | undefined,
  budget: number,
): readonly string[] {
  const required = Number(/takes (\d+) tokens/.exec(error?.message ?? "")?.[1] ?? Number.NaN);
  if (error?.code !== "BUDGET_INFEASIBLE") return [`exit code 6 with error ${error?.code}`];
  return required > budget ? [] : [`infeasible although ${required} tokens fit into ${budget}`];
}

async function storeProblems(
  data: CompactData | undefined,
  store: string,
  sourcePath: string,
): Promise<readonly string[]> {
  if (data === undefined) return [];
  const problems: string[] = [];
  for (const command of ["replay", "verify"]) {
    const { exitCode, envelope } = await callThreadfold([command, data.threadId, "--store", store, "--json"]);
    if (exitCode !== 0) problems.push(`${command} ended with exit code ${exitCode}: ${envelope.error?.message}`);
  }
  return [...problems, ...(await checkReachable(sourcePath, store))];
}
