import { PRESETS } from "threadfold";
import { BUDGETS } from "./matrix-cell.ts";
import type { RecordedFile } from "./recorded-files.ts";

/** The formats of providers; the neutral one has no wire. */
export const WIRE_FORMATS = ["anthropic-messages", "openai-chat", "openai-responses", "gemini", "ai-sdk"] as const;
export type WireFormat = (typeof WIRE_FORMATS)[number];

/** One run: a session, a policy, a budget, a format. */
export interface WireCell {
  readonly file: RecordedFile;
  readonly preset: string;
  readonly budget: number;
  readonly format: WireFormat;
}

const POLICIES = PRESETS.flatMap(({ name }) => WIRE_FORMATS.map((format) => ({ preset: name, format })));

/** Steps over policies and files from cell to cell: primes, so that no two lists walk in step. */
const STRIDE = 7;

/** Every session in every format at every budget under every preset, file by file. */
export function wireCells(files: readonly RecordedFile[]): readonly WireCell[] {
  return files.flatMap((file) =>
    POLICIES.flatMap((policy) => BUDGETS.map((budget): WireCell => ({ file, budget, ...policy }))),
  );
}

/**
 * A sample of the cells that is the same on every run: each session in every format once, under presets and budgets in
 * turn, so that every preset meets every format and every budget. File by file.
 */
export function sampledWireCells(files: readonly RecordedFile[]): readonly WireCell[] {
  return files.flatMap((file, row) =>
    WIRE_FORMATS.map((format, column): WireCell => {
      const index = row * WIRE_FORMATS.length + column;
      const preset = PRESETS[(row + column * STRIDE) % PRESETS.length]?.name as string;
      const budget = BUDGETS[(index + Math.floor(index / BUDGETS.length)) % BUDGETS.length] as number;
      return { file, preset, budget, format };
    }),
  );
}
