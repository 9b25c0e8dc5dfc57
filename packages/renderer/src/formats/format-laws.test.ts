import { patience, runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, it } from "vitest";
import { renderInputs } from "../laws/render-inputs.ts";
import { type FormatLaw, formatLaws } from "./format-laws.ts";
import { FORMATS } from "./formats.ts";

/** Runs laws over generated inputs; a broken one says which and how. */
function keeps(laws: readonly FormatLaw[], times: number): void {
  fc.assert(
    fc.property(renderInputs, (input) => {
      for (const { name, broken } of laws) {
        const problem = broken(input);
        if (problem !== null) throw new Error(`${name}: ${problem}`);
      }
    }),
    runs(times),
  );
}

describe.each(FORMATS.map((format) => [format.id, format] as const))("R17 %s", (_id, format) => {
  const once = formatLaws(format).filter(({ everyVersion }) => everyVersion !== true);
  const growing = formatLaws(format).filter(({ everyVersion }) => everyVersion === true);

  it(`keeps its laws: ${once.map(({ name }) => name).join("; ")}`, { timeout: patience(240_000) }, () =>
    keeps(once, 5_000),
  );

  it(
    `keeps its laws as a thread grows: ${growing.map(({ name }) => name).join("; ")}`,
    { timeout: patience(240_000) },
    () => keeps(growing, 200),
  );
});
