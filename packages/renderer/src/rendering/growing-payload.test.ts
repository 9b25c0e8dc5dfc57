import { ThreadfoldError } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { payloadDigest } from "./growing-payload.ts";

describe("payloadDigest", () => {
  it("is independent of the order of keys, and counts UTF-8 bytes", () => {
    const { text, digest, bytes } = payloadDigest({ b: "ü🚀", a: undefined, c: [1, null] });
    expect(text).toBe('{"b":"ü🚀","c":[1,null]}');
    expect(bytes).toBe(new TextEncoder().encode(text).length);
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(payloadDigest({ c: [1, null], b: "ü🚀" }).digest).toBe(digest);
  });

  it("rejects a value that JSON cannot represent", () => {
    const error = (() => {
      try {
        return payloadDigest({ a: "\ud800" });
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(ThreadfoldError.isInstance(error) && error.code).toBe("INVALID_JSON");
  });
});
