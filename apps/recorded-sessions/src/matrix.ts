import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { type CliOutput, runCli, SOURCE_MEDIA_TYPE } from "@threadfold/cli";
import { actionOf, canonicalJson, explainMessage } from "@threadfold/core";
import {
  importSessionFile,
  type Message,
  openStore,
  type ThreadfoldStore,
  type ThreadId,
  toolResultText,
  visibleText,
} from "threadfold";
import type { RecordedFile } from "./recorded-files.ts";

export const BUDGETS: readonly number[] = [100_000, 50_000, 20_000, 8_000];
/** The formats that run when none is given. */
export const FORMATS: readonly string[] = ["anthropic", "openai-chat"];

/** One run: a session, a budget, a format. */
export interface MatrixCell {
  readonly file: RecordedFile;
  /** The command's default if omitted. */
  readonly preset?: string;
  readonly budget: number;
  readonly format: string;
}

/** The result of one run. `problems` is empty when everything that must hold does. */
export interface CellResult {
  readonly name: string;
  readonly budget: number;
  readonly format: string;
  readonly exitCode: number;
  readonly before: number;
  readonly after: number;
  readonly messages: number;
  readonly actions: Readonly<Record<string, number>>;
  /** SHA-256 of the request; empty when none was made. */
  readonly digest: string;
  readonly milliseconds: number;
  readonly problems: readonly string[];
}

/** Returns every cell for the given files, file by file. */
export function matrixCells(
  files: readonly RecordedFile[],
  formats: readonly string[] = FORMATS,
): readonly MatrixCell[] {
  return files.flatMap((file) => BUDGETS.flatMap((budget) => formats.map((format) => ({ file, budget, format }))));
}

/** Returns an eighth of the cells: each session at one budget in one format, so that each budget meets each format. */
export function sampledMatrixCells(files: readonly RecordedFile[]): readonly MatrixCell[] {
  return matrixCells(files).filter(({ file, budget, format }) => {
    const row = files.indexOf(file);
    const turn = Math.floor(row / BUDGETS.length) % FORMATS.length;
    return BUDGETS.indexOf(budget) === row % BUDGETS.length && FORMATS.indexOf(format) === turn;
  });
}

/** The part of the data of `compact --json` that is checked. */
interface CompactData {
  readonly threadId: string;
  readonly source: { readonly messages: number };
  readonly tokens: { readonly before: number; readonly after: number; readonly budget: number };
  readonly actions: Readonly<Record<string, number>>;
  readonly request?: { readonly digest: string };
  readonly violations: readonly unknown[];
  readonly pins: { readonly live: number; readonly present: number };
}

// The checks are about what the store holds; the durability of the disk does not matter, and waiting for it takes time.
const PLACE = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** What is done with a session: only folding it, or then also replaying, verifying, and looking up every message. */
export type CellDepth = "fold" | "fold-and-check";

/** Folds one session through the command's own entry point and, if asked to, checks what the store then holds. */
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
  if (exitCode !== 0 || data === undefined) return [`compact exited with code ${exitCode}`];
  const problems: string[] = [];
  if (data.tokens.after > budget) problems.push(`${data.tokens.after} tokens exceed the budget`);
  if (data.violations.length > 0)
    problems.push(`${data.violations.length} violations: ${JSON.stringify(data.violations[0])}`);
  if (data.pins.present !== data.pins.live) problems.push(`${data.pins.present} of ${data.pins.live} pins are present`);
  if (!data.request?.digest) problems.push("there is no request");
  return problems;
}

/**
 * Exit code 6 is right only if what may not be folded exceeds the budget on its own, and the message states its size.
 */
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
    if (exitCode !== 0) problems.push(`${command} exited with code ${exitCode}: ${envelope.error?.message}`);
  }
  return [...problems, ...(await checkReachable(sourcePath, store))];
}

/**
 * Checks that every message of a source can be recovered from the store after folding (P1): the store's text is the
 * source's text, `explain` accounts for it, and what was externalized is in its artifact.
 */
async function checkReachable(sourcePath: string, storePath: string): Promise<readonly string[]> {
  const source = await importSessionFile(sourcePath);
  const store = await openStore(storePath);
  try {
    const thread = await store.threads.load(source.threadId);
    if (thread === null) return ["the store has no such thread"];
    const { plan } = await store.plans.getCurrentPlan(source.threadId);
    const problems: string[] = [];
    if ((await keptSource(store, source.threadId)) !== source.source.text)
      problems.push("the store does not have the source");
    for (const input of source.messages) {
      const message = thread.message(input.id);
      if (message === undefined) {
        problems.push(`message ${input.id} is not in the store`);
        continue;
      }
      if (canonicalJson(message.parts) !== canonicalJson(input.parts))
        problems.push(`message ${input.id} differs in the store`);
      if (plan === null) continue;
      const { recovery } = explainMessage(thread, plan, message.id);
      if (!recovery.some((way) => way.from === "thread")) problems.push(`explain lists no way back to ${input.id}`);
      const { record } = actionOf(plan, message.id);
      if (record?.action !== "externalize") continue;
      const artifact = await store.artifacts.retrieve(record.artifactId);
      if (artifact?.content !== bodyOf(message))
        problems.push(`artifact ${record.artifactId} is not the body of ${input.id}`);
    }
    return problems;
  } finally {
    await store.close();
  }
}

/** Returns the imported source, as the store keeps it with the thread. */
async function keptSource(store: ThreadfoldStore, threadId: ThreadId): Promise<string | undefined> {
  for (const id of await store.artifacts.list(threadId)) {
    const metadata = await store.artifacts.getMetadata(id);
    if (metadata?.mediaType === SOURCE_MEDIA_TYPE) return (await store.artifacts.retrieve(id))?.content;
  }
  return undefined;
}

function bodyOf(message: Message): string {
  const part = message.parts[0];
  return part?.type === "tool-result" ? toolResultText(part.result.content) : visibleText(message);
}

/** The output of the command and its exit code. */
interface CommandResult {
  readonly exitCode: number;
  readonly envelope: {
    readonly ok: boolean;
    readonly data?: unknown;
    readonly error?: { readonly code: string; readonly message: string };
  };
}

/** Runs the `threadfold` command in this process, as the bin does. The arguments must ask for JSON. */
async function callThreadfold(argv: readonly string[]): Promise<CommandResult> {
  const printed: string[] = [];
  const exitCode = await runCli(argv, {
    stdin: () => Readable.from([]),
    stdout: output((text) => printed.push(text)),
    stderr: output(() => undefined),
    env: {},
    signal: new AbortController().signal,
    clock: { now: () => Date.UTC(2026, 0, 1) },
    runChild: async () => 1,
  });
  return { exitCode, envelope: JSON.parse(printed.join("")) as CommandResult["envelope"] };
}

const output = (write: (text: string) => unknown): CliOutput => ({ write, isTTY: false, columns: undefined });
