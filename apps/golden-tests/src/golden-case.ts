import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ContextCompactionConfig } from "threadfold";
import { z } from "zod";

/** Where the cases are: a folder per session, in it a folder per preset. */
export const CASES = resolve(import.meta.dirname, "../cases");

const sessionSchema = z.strictObject({
  /** The recorded session, relative to the project's root. */
  source: z.string(),
});

const optionsSchema = z.strictObject({
  preset: z.string(),
  /** Checked when the session is opened. */
  config: z.record(z.string(), z.unknown()).transform((config) => config as Partial<ContextCompactionConfig>),
  /** Formats whose payloads are golden files. */
  formats: z.array(z.string()).min(1),
});

/** One case: a session folded by a preset with options. */
export interface GoldenCase {
  /** `<session>/<preset>`. */
  readonly name: string;
  readonly folder: string;
  /** Path of the recorded session. */
  readonly source: string;
  readonly options: z.infer<typeof optionsSchema>;
}

/** Every case, in a fixed order. */
export function goldenCases(): readonly GoldenCase[] {
  return folders(CASES).flatMap((session) => {
    const { source } = sessionSchema.parse(readJson(join(CASES, session, "session.json")));
    return folders(join(CASES, session)).map((preset) => {
      const folder = join(CASES, session, preset);
      const options = optionsSchema.parse(readJson(join(folder, "options.json")));
      return { name: `${session}/${preset}`, folder, source: resolve(CASES, "../../..", source), options };
    });
  });
}

const folders = (path: string): readonly string[] =>
  readdirSync(path)
    .filter((name) => statSync(join(path, name)).isDirectory())
    .sort();

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));
