import { forAll, keepLaws, type Law, together } from "@threadfold/core/laws";
import { describe, it } from "vitest";
import { FORMATS } from "../formats/formats.ts";
import type { RenderInput } from "../input/render-input.ts";
import { formatChecks } from "./format-laws.ts";
import { renderInputs } from "./render-inputs.ts";

/** The laws of all formats that are meant as one: an input costs as much as rendering it, so all are tried on the same. */
function ofAllFormats(title: string, isMeant: (law: Law<RenderInput>) => boolean): Law<RenderInput> {
  const laws = FORMATS.map((format) => ({ id: format.id, laws: formatChecks(format).filter(isMeant) }));
  const names = laws[0]?.laws.map(({ name }) => name).join("; ");
  return together(
    `${title}: ${names}`,
    laws.flatMap(({ id, laws }) => laws.map((law) => ({ ...law, name: `${id}: ${law.name}` }))),
  );
}

const isOfOneVersion = ({ cost = 1 }: Law<RenderInput>): boolean => cost === 1;
const laws = [
  ofAllFormats("keep their laws", isOfOneVersion),
  ofAllFormats("keep their laws as a thread grows", (law) => !isOfOneVersion(law)),
];

// Each is tried in every format: five thousand transcripts and more.
keepLaws(`R17 ${FORMATS.map(({ id }) => id).join(", ")}`, forAll(renderInputs, laws, 1_000), { describe, it });
