import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../laws/runs.ts";
import { startPortableSha256, startSha256 } from "./running-sha256.ts";
import { sha256 } from "./sha256.ts";

describe.each([
  ["the platform's", startSha256],
  ["the portable", startPortableSha256],
])("%s running SHA-256", (_name, start) => {
  it("gives the digest of all texts together, at every step", () => {
    const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 200 }), { maxLength: 8 });
    fc.assert(
      fc.property(texts, (pieces) => {
        let hash = start();
        pieces.forEach((piece, index) => {
          hash = hash.update(piece);
          expect(hash.digest()).toBe(sha256(pieces.slice(0, index + 1).join("")));
        });
      }),
      runs(100),
    );
  });

  it("keeps what it was when it goes on in two ways", () => {
    const common = start().update("common ");
    const [one, other] = [common.update("one"), common.update("other")];
    expect([one.digest(), other.digest(), common.digest()]).toEqual(
      ["common one", "common other", "common "].map((text) => sha256(text)),
    );
  });
});
