import type { RecordedFile } from "./recorded-files.ts";

export const BUDGETS: readonly number[] = [100_000, 50_000, 20_000, 8_000];
/** The formats that are run when none is named. */
export const FORMATS: readonly string[] = ["anthropic", "openai-chat"];

/** One run: a session, a budget, a format. */
export interface MatrixCell {
  readonly file: RecordedFile;
  /** The command's default when it is left out. */
  readonly preset?: string;
  readonly budget: number;
  readonly format: string;
}

/** What one run came to. `problems` is empty when everything that must hold held. */
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

/** Every cell over the given files, file by file. */
export function matrixCells(
  files: readonly RecordedFile[],
  formats: readonly string[] = FORMATS,
): readonly MatrixCell[] {
  return files.flatMap((file) => BUDGETS.flatMap((budget) => formats.map((format) => ({ file, budget, format }))));
}

/** An eighth of them: each session at one budget in one format, in turn, so that each budget meets each format. */
export function sampledMatrixCells(files: readonly RecordedFile[]): readonly MatrixCell[] {
  return matrixCells(files).filter(({ file, budget, format }) => {
    const row = files.indexOf(file);
    const turn = Math.floor(row / BUDGETS.length) % FORMATS.length;
    return BUDGETS.indexOf(budget) === row % BUDGETS.length && FORMATS.indexOf(format) === turn;
  });
}
