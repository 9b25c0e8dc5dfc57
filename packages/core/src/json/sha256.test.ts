import { createHash } from "node:crypto";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { runs } from "../laws/runs.ts";
import { unicodeTexts } from "../laws/text-arbitrary.ts";
import { digestOf, portableSha256, sha256, startPortableSha256, startSha256 } from "./sha256.ts";

describe.each([
  ["the platform's", startSha256],
  ["the portable", startPortableSha256],
])("%s running SHA-256", (_name, start) => {
  it("gives the digest of all texts so far, at every step", () => {
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

  it("can be continued in two ways without changing", () => {
    const common = start().update("common ");
    const [one, other] = [common.update("one"), common.update("other")];
    expect([one.digest(), other.digest(), common.digest()]).toEqual(
      ["common one", "common other", "common "].map((text) => sha256(text)),
    );
  });
});

describe("a running SHA-256", () => {
  it.each(["", "a"])("splits no character of a multi-megabyte text after %j", (before) => {
    const text = before + "😀".repeat(1_000_000);
    expect(startSha256().update(text).digest()).toBe(createHash("sha256").update(Buffer.from(text)).digest("hex"));
  });

  afterEach(() => void vi.unstubAllGlobals());

  it("is the platform's own if there is one", () => {
    const asked = vi.fn(process.getBuiltinModule);
    vi.stubGlobal("process", { ...process, getBuiltinModule: asked });
    const native = startSha256();
    expect(asked).toHaveBeenCalledWith("node:crypto");
    vi.stubGlobal("process", {
      getBuiltinModule: () => ({ createHash: () => ({ copy: () => ({ digest: () => "its own" }) }) }),
    });
    expect([native.digest(), startSha256().digest()]).toEqual([sha256(""), "its own"]);
  });

  it.each([undefined, {}, { getBuiltinModule: () => undefined }, { getBuiltinModule: () => ({}) }])(
    "is the portable one if the host has %o",
    (process) => {
      vi.stubGlobal("process", process);
      expect(startSha256().update("abc").digest()).toBe(portableSha256("abc"));
    },
  );
});

const implementations = [
  ["native", sha256],
  ["portable", portableSha256],
] as const;

/** FIPS 180-2 and RFC 6234 test vectors. */
const VECTORS = [
  ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  [
    "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
  ],
  ["a".repeat(1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"],
  [
    "0123456701234567012345670123456701234567012345670123456701234567".repeat(10),
    "594847328451bdfa85056225462cc1d867d877fb388df0ce35f25ab5562bfbb5",
  ],
] as const;

describe.each(implementations)("%s sha256", (_, hash) => {
  it.each(VECTORS.map(([text, digest]) => [text.slice(0, 20), text, digest]))(
    "gives the published digest of %j…",
    (_label, text, digest) => {
      expect(hash(text)).toBe(digest);
    },
  );

  it("hashes text as UTF-8", () => {
    expect(hash("naïve 数据 😀")).toBe(hash(new TextEncoder().encode("naïve 数据 😀")));
  });
});

describe("sha256", () => {
  it("uses the native implementation here, with the same digests as the portable one", () => {
    expect(sha256).not.toBe(portableSha256);
    fc.assert(
      fc.property(fc.oneof(unicodeTexts(300), fc.uint8Array({ maxLength: 300 })), (data) => {
        expect(portableSha256(data)).toBe(sha256(data));
        expect(sha256(data)).toBe(createHash("sha256").update(data).digest("hex"));
      }),
      { numRuns: 300 },
    );
  });
});

describe("digestOf", () => {
  it("is the digest of the canonical JSON, in any key order", () => {
    expect(digestOf({ b: 1, a: [null], c: undefined })).toBe(sha256('{"a":[null],"b":1}'));
    expect(digestOf({ a: 1, b: 2 })).toBe(digestOf({ b: 2, a: 1 }));
    expect(digestOf({ a: 1 })).not.toBe(digestOf({ a: "1" }));
  });
});
