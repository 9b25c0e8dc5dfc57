import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DeterminismMetadata, determinismMetadataSchema, hasDrifted, toolDurabilitySchema } from "./part.ts";

const metadata: fc.Arbitrary<DeterminismMetadata> = fc.record(
  {
    contentHash: fc.constantFrom("h1", "h2"),
    etag: fc.constantFrom("e1", "e2"),
    mtime: fc.constantFrom(1, 2),
    version: fc.constantFrom("v1", "v2"),
  },
  { requiredKeys: [] },
);

describe("hasDrifted", () => {
  it.each<[string, DeterminismMetadata, DeterminismMetadata, boolean]>([
    ["nothing is known", {}, {}, true],
    ["equal hashes", { contentHash: "a" }, { contentHash: "a" }, false],
    ["different hashes", { contentHash: "a" }, { contentHash: "b" }, true],
    ["a hash on one side only", { contentHash: "a" }, {}, true],
    [
      "the hash overrides etag, time and version",
      { contentHash: "a", etag: "1", mtime: 1, version: "1" },
      { contentHash: "a", etag: "2", mtime: 2, version: "2" },
      false,
    ],
    ["the etag decides when only one side has a hash", { contentHash: "a", etag: "1" }, { etag: "1" }, false],
    [
      "different etags, equal time and version",
      { etag: "1", mtime: 1, version: "1" },
      { etag: "2", mtime: 1, version: "1" },
      true,
    ],
    ["only an equal time", { mtime: 1 }, { mtime: 1 }, false],
    ["only a different time", { mtime: 1 }, { mtime: 2 }, true],
    ["equal time, a version on one side", { mtime: 1, version: "1" }, { mtime: 1 }, false],
    ["only an equal version, which verifies nothing", { version: "1" }, { version: "1" }, true],
    ["time and version together", { mtime: 1, version: "1" }, { mtime: 1, version: "1" }, false],
    ["different time, equal version", { mtime: 1, version: "1" }, { mtime: 2, version: "1" }, true],
    ["equal time, different version", { mtime: 1, version: "1" }, { mtime: 1, version: "2" }, true],
    ["an empty hash is a hash", { contentHash: "" }, { contentHash: "" }, false],
    ["time zero is a time", { mtime: 0, version: "" }, { mtime: 0, version: "" }, false],
  ])("%s", (_, captured, current, drifted) => {
    expect(hasDrifted(captured, current)).toBe(drifted);
  });

  it("is symmetric, and always reports a difference in the deciding field", () => {
    fc.assert(
      fc.property(metadata, metadata, (a, b) => {
        expect(hasDrifted(a, b)).toBe(hasDrifted(b, a));
        if (!hasDrifted(a, b)) {
          const shared = (["contentHash", "etag", "mtime"] as const).find(
            (key) => a[key] !== undefined && b[key] !== undefined,
          );
          expect(shared).toBeDefined();
          if (shared !== undefined) expect(a[shared]).toBe(b[shared]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("spec-54 finds no drift between identical verifiable metadata", () => {
    fc.assert(
      fc.property(metadata, (known) => {
        const verifiable = known.contentHash !== undefined || known.etag !== undefined || known.mtime !== undefined;
        expect(hasDrifted(known, { ...known })).toBe(!verifiable);
      }),
      { numRuns: 100 },
    );
  });
});

describe("schemas", () => {
  it("spec-53 know the four durabilities of seed 002 and plain metadata", () => {
    expect(toolDurabilitySchema.options).toEqual(["ephemeral", "anchoring", "replayable", "non_replayable"]);
    expect(determinismMetadataSchema.safeParse({ mtime: 1, etag: "x" }).success).toBe(true);
    expect(determinismMetadataSchema.safeParse({ mtime: "2025" }).success).toBe(false);
  });
});
