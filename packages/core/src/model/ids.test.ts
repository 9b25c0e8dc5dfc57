import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unicodeTexts } from "../laws/text-arbitrary.ts";
import { artifactIdOf, artifactIdSchema, asThreadId, messageIdSchema } from "./ids.ts";

const texts = unicodeTexts(6);
const owners = fc.tuple(texts.map(asThreadId), fc.option(texts), texts);

describe("artifactIdOf", () => {
  it("gives the same content of a thread the same valid artifact id", () => {
    fc.assert(
      fc.property(owners, ([thread, tenant, content]) => {
        const id = artifactIdOf(thread, tenant, content);
        expect(artifactIdOf(thread, tenant, content)).toBe(id);
        expect(artifactIdSchema.safeParse(id).success).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it("gives different ids to other content, threads and tenants, so that no tenant learns what another stores", () => {
    fc.assert(
      fc.property(owners, owners, (a, b) => {
        fc.pre(JSON.stringify(a) !== JSON.stringify(b));
        expect(artifactIdOf(...a)).not.toBe(artifactIdOf(...b));
      }),
      { numRuns: 200 },
    );
  });

  it("distinguishes inputs that concatenate to the same text", () => {
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

describe("ids", () => {
  it.each(["m1", "__proto__", "消息 1", "a/b:c|d", "x".repeat(512)])("accept %j unchanged", (id) => {
    expect(messageIdSchema.parse(id)).toBe(id);
  });

  it.each(["", 0, null, undefined, "x".repeat(513), "\udc00"])("refuses %j", (id) => {
    expect(messageIdSchema.safeParse(id).success).toBe(false);
  });

  it("have a shape for artifacts that allows neither white space nor paths", () => {
    expect(artifactIdSchema.safeParse(`artifact_${"0a".repeat(12)}`).success).toBe(true);
    for (const id of [
      "artifact_",
      "artifact_0123456789abcde",
      `artifact_${"g".repeat(24)}`,
      `artifact_${"a".repeat(24)}\n`,
      `../artifact_${"a".repeat(24)}`,
      `artifact_${"A".repeat(24)}`,
    ]) {
      expect(artifactIdSchema.safeParse(id).success, id).toBe(false);
    }
  });
});
