import { PRESETS } from "threadfold";
import { BUDGETS } from "./matrix-cell.ts";
import type { RecordedFile } from "./recorded-files.ts";

/** The formats of providers; the neutral one has no wire. */
export const WIRE_FORMATS = ["anthropic-messages", "openai-chat", "openai-responses", "gemini", "ai-sdk"] as const;
export type WireFormat = (typeof WIRE_FORMATS)[number];

/** One run: a session, a policy, a budget, a format, and the model that requests are for where one is named. */
export interface WireCell {
  readonly file: RecordedFile;
  readonly preset: string;
  readonly budget: number;
  readonly format: WireFormat;
  readonly model?: string;
}

/**
 * Models that ask for different things of one format: what reasoning is bound to, whether it goes back as text, whether
 * results may hold pictures, whether cached prefixes may be marked. Those that nobody named suit the strictest.
 */
export const WIRE_MODELS: Readonly<Record<WireFormat, readonly string[]>> = {
  "anthropic-messages": ["claude-sonnet-4-5", "claude-opus-4-5", "claude-opus-5"],
  "openai-chat": ["gpt-5.6", "gpt-4o", "deepseek-v4"],
  "openai-responses": ["gpt-5.6", "gpt-4o"],
  gemini: ["gemini-2.5-pro", "gemini-3-pro"],
  "ai-sdk": ["claude-sonnet-4-5", "gpt-5.6", "gemini-3-pro"],
};

const POLICIES = PRESETS.flatMap(({ name }) => WIRE_FORMATS.map((format) => ({ preset: name, format })));

/** Steps over policies and files from cell to cell: primes, so that no two lists walk in step. */
const STRIDE = 7;

/** Every session in every format at every budget under every preset, and for every model at every budget, file by file. */
export function wireCells(files: readonly RecordedFile[]): readonly WireCell[] {
  return files.flatMap((file, row) => [
    ...POLICIES.flatMap((policy) => BUDGETS.map((budget): WireCell => ({ file, budget, ...policy }))),
    ...WIRE_FORMATS.flatMap((format, column) =>
      WIRE_MODELS[format].flatMap((model, place) =>
        BUDGETS.map((budget, step): WireCell => {
          return { file, budget, format, model, preset: presetAt(row + (column + place) * STRIDE + step) };
        }),
      ),
    ),
  ]);
}

/**
 * A sample of the cells that is the same on every run: each session once in every format, under presets and budgets in
 * turn, so that every preset meets every format and every budget. Every second one is for one of the format's models, in
 * turn. File by file.
 */
export function sampledWireCells(files: readonly RecordedFile[]): readonly WireCell[] {
  return files.flatMap((file, row) =>
    WIRE_FORMATS.flatMap((format, column): readonly WireCell[] => {
      const index = row * WIRE_FORMATS.length + column;
      const place = index + Math.floor(index / BUDGETS.length);
      const models = WIRE_MODELS[format];
      const model = models[Math.floor(row / 2) % models.length] as string;
      const preset = presetAt(row + column * STRIDE);
      // Half of them are for any model of the provider.
      return [{ file, preset, budget: budgetAt(place), format, ...(index % 2 === 0 && { model }) }];
    }),
  );
}

const presetAt = (place: number): string => PRESETS[place % PRESETS.length]?.name as string;
const budgetAt = (place: number): number => BUDGETS[place % BUDGETS.length] as number;
