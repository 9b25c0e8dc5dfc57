import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unicodeTexts } from "../laws/text-arbitrary.ts";
import { artifactIdSchema, asThreadId } from "../model/ids.ts";
import { artifactIdOf } from "./artifact-id.ts";

const texts = unicodeTexts(6);
const owners = fc.tuple(texts.map(asThreadId), fc.option(texts), texts);

describe("artifactIdOf", () => {
  it("gives the same content of a thread the same id, in the shape of an artifact id", () => {
    fc.assert(
      fc.property(owners, ([thread, tenant, content]) => {
        const id = artifactIdOf(thread, tenant, content);
        expect(artifactIdOf(thread, tenant, content)).toBe(id);
        expect(artifactIdSchema.safeParse(id).success).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it("gives everything else another id, so that no tenant learns what another one stores", () => {
    fc.assert(
      fc.property(owners, owners, (a, b) => {
        fc.pre(JSON.stringify(a) !== JSON.stringify(b));
        expect(artifactIdOf(...a)).not.toBe(artifactIdOf(...b));
      }),
      { numRuns: 200 },
    );
  });

  it("is not fooled by texts that look joined", () => {
    const ids = [
      artifactIdOf(asThreadId("t"), null, "x"),
      artifactIdOf(asThreadId("t"), "null", "x"),
      artifactIdOf(asThreadId("t"), "", "x"),
      artifactIdOf(asThreadId('t"'), null, "x"),
      artifactIdOf(asThreadId("t"), null, "\nx"),
      artifactIdOf(asThreadId("t\nx"), null, ""),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});
