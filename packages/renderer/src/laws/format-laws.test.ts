import { patience, runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, it } from "vitest";
import { FORMATS } from "../formats/formats.ts";
import type { ProviderFormat } from "../formats/provider-format.ts";
import { type FormatLaw, formatLaws } from "./format-laws.ts";
import { renderInputs } from "./render-inputs.ts";

/** Runs laws of formats over the same generated inputs, which cost as much as rendering them; a broken one says which and how. */
function keep(formats: readonly ProviderFormat[], isMeant: (law: FormatLaw) => boolean, times: number): void {
  const laws = formats.flatMap((format) =>
    formatLaws(format)
      .filter(isMeant)
      .map((law) => ({ ...law, name: `${format.id}: ${law.name}` })),
  );
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

const namesOf = (isMeant: (law: FormatLaw) => boolean): string =>
  FORMATS.slice(0, 1)
    .flatMap(formatLaws)
    .filter(isMeant)
    .map(({ name }) => name)
    .join("; ");
const ofOneVersion = ({ everyVersion }: FormatLaw): boolean => everyVersion !== true;
const ofEveryVersion = ({ everyVersion }: FormatLaw): boolean => everyVersion === true;

describe(`R17 ${FORMATS.map(({ id }) => id).join(", ")}`, () => {
  it(`keep their laws: ${namesOf(ofOneVersion)}`, { timeout: patience(240_000) }, () =>
    keep(FORMATS, ofOneVersion, 5_000),
  );

  it(`keep their laws as a thread grows: ${namesOf(ofEveryVersion)}`, { timeout: patience(240_000) }, () =>
    keep(FORMATS, ofEveryVersion, 200),
  );
});
