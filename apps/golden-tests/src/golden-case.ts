import { join, resolve } from "node:path";
import type { GoldenPromptOptions } from "@threadfold/golden";
import { type FormatId, type ImportedSession, importSessionFile, PRESETS } from "threadfold";

/** Where the golden prompts are: a folder per session, and in it a folder per preset. */
export const CASES = resolve(import.meta.dirname, "../cases");

/** Recorded sessions by the name of their folder; paths are relative to the project's root. */
const SESSIONS: Readonly<Record<string, string>> = {
  "a-day-on-threadfold": "examples/sessions/a-day-on-threadfold.jsonl",
};

const FORMATS: readonly FormatId[] = [
  "anthropic-messages",
  "openai-chat",
  "openai-responses",
  "gemini",
  "gemini-interactions",
  "ai-sdk",
];

/** The preset whose payloads are kept whole; for the others, which would be large, one digest per format is kept. */
const WHOLE = "threadfold";

/** A small fraction of the size of the recorded session, so that every preset folds. */
const MAX_INPUT_TOKENS = 12_000;

/** One case: a recorded session folded by a preset. */
export interface GoldenCase {
  /** `<session>/<preset>`. */
  readonly name: string;
  readonly folder: string;
  readonly options: GoldenPromptOptions;
}

/** Returns every case, in a fixed order. Each session is read once. */
export function goldenCases(): readonly GoldenCase[] {
  return Object.entries(SESSIONS).flatMap(([name, path]) => {
    const session = importSessionFile(resolve(import.meta.dirname, "../../..", path));
    return PRESETS.map((preset) => goldenCase(`${name}/${preset.name}`, preset.name, session));
  });
}

const goldenCase = (name: string, preset: string, session: Promise<ImportedSession>): GoldenCase => ({
  name,
  folder: join(CASES, name),
  options: {
    session,
    preset,
    config: { maxInputTokens: MAX_INPUT_TOKENS },
    formats: FORMATS,
    payloads: preset === WHOLE ? "full" : "digests",
    // A recorded file never changes, so the golden prompts show exactly what is sent.
    mask: [],
  },
});
