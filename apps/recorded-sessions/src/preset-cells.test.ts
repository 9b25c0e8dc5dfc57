import { PRESETS } from "threadfold";
import { describe, expect, it } from "vitest";
import { BUDGETS, FORMATS, type MatrixCell, runCell } from "./matrix.ts";
import { dataFolder, recordedFiles } from "./recorded-files.ts";

/** Steps over the sessions from cell to cell: a prime, so that each preset meets sessions of every tool. */
const STRIDE = 11;

/** One session for every preset and budget, the formats in turn. */
function presetCells(folder: string): readonly MatrixCell[] {
  const files = recordedFiles(folder);
  return PRESETS.flatMap(({ name }, row) =>
    BUDGETS.map((budget, column): MatrixCell => {
      const index = row * BUDGETS.length + column;
      const file = files[(index * STRIDE) % files.length] as MatrixCell["file"];
      return { file, preset: name, budget, format: FORMATS[index % FORMATS.length] as MatrixCell["format"] };
    }),
  );
}

const folder = dataFolder();

describe.skipIf(folder === null)("every preset × budget on recorded sessions (skipped without THREADFOLD_DATA)", () => {
  it.each(folder === null ? [] : presetCells(folder))(
    "$preset at $budget in $format fits, is legal, holds every pin, replays and keeps every message reachable: $file.name",
    async (cell) => {
      const { problems, exitCode } = await runCell(cell);
      expect(problems).toEqual([]);
      expect([0, 6]).toContain(exitCode);
    },
  );
});
