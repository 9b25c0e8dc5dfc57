import { describe, expect, it } from "vitest";
import { authoritySchema, mayLift, pinSchema, threadEntryInputSchema, threadEntrySchema } from "./thread-entry.ts";

const pin = { id: "p1", text: "Never push to main.", authority: "user", origin: "explicit" };

describe("pins", () => {
  it("are lifted only by equal or higher authority", () => {
    const table = authoritySchema.options.map((actor) =>
      authoritySchema.options.filter((owner) => mayLift(actor, owner)),
    );
    expect(table).toEqual([["system", "operator", "user"], ["operator", "user"], ["user"]]);
  });

  it("accept no authority of tools, assistants or summaries", () => {
    for (const authority of ["tool", "assistant", "summary", "", undefined]) {
      expect(pinSchema.safeParse({ ...pin, authority }).success).toBe(false);
    }
  });

  it("require a text that is neither empty nor malformed", () => {
    expect(pinSchema.safeParse(pin).success).toBe(true);
    expect(pinSchema.safeParse({ ...pin, text: "" }).success).toBe(false);
    expect(pinSchema.safeParse({ ...pin, text: "never \ud83d" }).success).toBe(false);
    expect(pinSchema.safeParse({ ...pin, source: { messageId: "m1", start: -1, end: 2 } }).success).toBe(false);
  });
});

describe("thread entries", () => {
  it("are messages, pins and liftings, and a lifting needs a reason", () => {
    const lifted = { type: "pin-lifted", pinId: "p1", authority: "user", reason: "done" };
    for (const schema of [threadEntrySchema, threadEntryInputSchema]) {
      expect(schema.safeParse({ type: "pin", pin }).success).toBe(true);
      expect(schema.safeParse(lifted).success).toBe(true);
      expect(schema.safeParse({ ...lifted, reason: "" }).success).toBe(false);
      expect(schema.safeParse({ ...lifted, authority: "tool" }).success).toBe(false);
      expect(schema.safeParse({ type: "summary" }).success).toBe(false);
    }
  });
});
