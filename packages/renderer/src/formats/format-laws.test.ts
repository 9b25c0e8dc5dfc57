import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderInputs } from "../laws/render-inputs.ts";
import { formatLaws } from "./format-laws.ts";
import { FORMATS } from "./formats.ts";

describe.each(FORMATS.map((format) => [format.id, format] as const))("%s", (_id, format) => {
  const laws = formatLaws(format);

  it(`keeps its laws: ${laws.map(({ name }) => name).join("; ")}`, () => {
    fc.assert(
      fc.property(renderInputs, (input) => {
        expect(
          laws.flatMap(({ name, broken }) => {
            const problem = broken(input);
            return problem === null ? [] : [`${name}: ${problem}`];
          }),
        ).toEqual([]);
      }),
      runs(250),
    );
  });
});
