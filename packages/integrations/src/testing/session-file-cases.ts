import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type CompactionPreset, opencodePreset, threadfoldPreset } from "@threadfold/strategies";
import { EXAMPLE_SESSION } from "./folded-session.ts";

const data = process.env["THREADFOLD_DATA"] ?? fileURLToPath(new URL("../../../../../shared/data", import.meta.url));

/** A session to fold and to write as a file of another tool. */
export interface SessionFileCase {
  readonly name: string;
  readonly file: string;
  readonly preset: CompactionPreset;
  readonly maxInputTokens: number;
}

/** The project's own session, and the recorded ones where they are: logs of several versions and tools. */
export function sessionFileCases(): readonly SessionFileCase[] {
  const cases: readonly [file: string, preset: CompactionPreset, maxInputTokens: number][] = [
    [EXAMPLE_SESSION, threadfoldPreset, 30_000],
    [EXAMPLE_SESSION, opencodePreset, 60_000],
    [EXAMPLE_SESSION, threadfoldPreset, 400_000],
    [`${data}/pi/session.jsonl.gz`, threadfoldPreset, 40_000],
    [`${data}/pi/large-session.jsonl.gz`, threadfoldPreset, 60_000],
    [`${data}/pi/derived-v3/session.v3.jsonl.gz`, threadfoldPreset, 20_000],
    [`${data}/claude-code/entire-cli/9b-04c3d92e38-4.jsonl.gz`, threadfoldPreset, 40_000],
  ];
  return cases
    .filter(([file]) => existsSync(file))
    .map(([file, preset, maxInputTokens]) => {
      const name = `${file.split("/").slice(-2).join("/")}, ${preset.name}, ${maxInputTokens}`;
      return { name, file, preset, maxInputTokens };
    });
}
