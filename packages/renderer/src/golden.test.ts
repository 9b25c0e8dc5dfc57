import { describe, expect, it } from "vitest";
import { FORMATS } from "./formats/formats.ts";
import { renderRequest } from "./rendering/render-request.ts";
import { goldenInput } from "./testing/golden-input.ts";
import { describeWarning } from "./warnings/describe-warning.ts";

/** Rewritten by `vitest run --update`; a diff here is a change of what models get to see. */
describe.each(FORMATS.map((format) => [format.id, format] as const))("golden %s", (id, format) => {
  const { request, manifest, warnings, tokens, breakdown, missingPins } = renderRequest(goldenInput, format);

  it("payload", async () => {
    const { payload } = format.lower(request);
    expect(format.check(payload, manifest)).toEqual([]);
    await expect(`${JSON.stringify(payload, null, 2)}\n`).toMatchFileSnapshot(`fixtures/golden/${id}.payload.json`);
  });

  it("manifest", async () => {
    const { threadId: _t, planId: _p, prefixDigests: _d, ...shown } = manifest;
    const told = { ...shown, tokens, breakdown, missingPins, warnings: warnings.map(describeWarning) };
    await expect(`${JSON.stringify(told, null, 2)}\n`).toMatchFileSnapshot(`fixtures/golden/${id}.manifest.json`);
  });
});
