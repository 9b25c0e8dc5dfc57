import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../laws/runs.ts";
import { type DeterminismMetadata, hasDrifted } from "../model/part.ts";
import { probeVerdict } from "./determinism-probe.ts";

const text = fc.constantFrom("a", "b");
const metadata: fc.Arbitrary<DeterminismMetadata> = fc.record(
  { contentHash: text, etag: text, mtime: fc.constantFrom(1, 2), version: text },
  { requiredKeys: [] },
);

describe("probeVerdict", () => {
  it("spec-54 matches exactly if nothing has drifted, and reports changed only for fields that both sides know", () => {
    fc.assert(
      fc.property(metadata, metadata, (captured, current) => {
        const verdict = probeVerdict(captured, current);
        expect(verdict === "matches").toBe(!hasDrifted(captured, current));
        const shared = Object.keys(captured).filter((field) => field in current);
        if (shared.length === 0) expect(verdict).toBe("unverifiable");
        if (verdict === "changed") {
          expect(shared.some((field) => captured[field as "etag"] !== current[field as "etag"])).toBe(true);
        }
      }),
      runs(300),
    );
  });

  it.each<[string, DeterminismMetadata, DeterminismMetadata | null, string]>([
    ["a content hash overrides the rest", { contentHash: "a", mtime: 1 }, { contentHash: "a", mtime: 2 }, "matches"],
    ["an etag decides if a hash is missing", { contentHash: "a", etag: "x" }, { etag: "y" }, "changed"],
    ["a time decides if there is nothing else", { mtime: 1 }, { mtime: 1 }, "matches"],
    ["another time is a change", { mtime: 1 }, { mtime: 2 }, "changed"],
    ["a version alone verifies nothing", { version: "v" }, { version: "v" }, "unverifiable"],
    ["time and version decide together", { mtime: 1, version: "v" }, { mtime: 1, version: "v" }, "matches"],
    ["another version at the same time is a change", { mtime: 1, version: "v" }, { mtime: 1, version: "w" }, "changed"],
    ["a source that is gone has changed", {}, null, "changed"],
  ])("%s", (_, captured, current, verdict) => {
    expect(probeVerdict(captured, current)).toBe(verdict);
  });
});
