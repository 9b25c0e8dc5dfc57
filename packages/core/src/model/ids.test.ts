import { describe, expect, it } from "vitest";
import { artifactIdSchema, messageIdSchema } from "./ids.ts";

describe("ids", () => {
  it.each(["m1", "__proto__", "消息 1", "a/b:c|d", "x".repeat(512)])("accepts %j as it is", (id) => {
    expect(messageIdSchema.parse(id)).toBe(id);
  });

  it.each(["", 0, null, undefined, "x".repeat(513), "\udc00"])("refuses %j", (id) => {
    expect(messageIdSchema.safeParse(id).success).toBe(false);
  });

  it("gives artifact ids a shape that holds neither white space nor path", () => {
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
