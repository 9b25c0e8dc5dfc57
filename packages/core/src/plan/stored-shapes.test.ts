import { describe, expect, it } from "vitest";
import { z } from "zod";
import { digestOf } from "../json/sha256.ts";
import { threadEntrySchema } from "../thread/thread-entry.ts";
import { compactionPlanSchema, PLAN_SCHEMA_VERSION } from "./compaction-plan.ts";

/** What a schema lets through, as data: another field, kind or limit makes another digest. */
const shapeOf = (schema: z.ZodType): string =>
  digestOf(JSON.parse(JSON.stringify(z.toJSONSchema(schema, { unrepresentable: "any", cycles: "ref" }))));

/**
 * What is stored is read by later versions. When one of these digests moves, stored data has another shape: give it a new
 * version and a way up for what is stored already, then write the new digest here. A schema that says the same in other words
 * moves it too; then the version stays.
 */
describe("the shapes of what is stored", () => {
  it("plans move with PLAN_SCHEMA_VERSION", () => {
    expect({ version: PLAN_SCHEMA_VERSION, shape: shapeOf(compactionPlanSchema) }).toEqual({
      version: 1,
      shape: "8ee26dee37e5bbfa7bd492fe19a78bd791255aa223c20f502c0eace8391f6bfb",
    });
  });

  it("entries of a thread have no version: what was appended once is read for ever", () => {
    expect(shapeOf(threadEntrySchema)).toBe("2a893ebffdd6e441675159a7a2436faa28366bd4470211c858331826572a54fd");
  });

  it("is noticed when a field comes or goes", () => {
    const one = z.object({ id: z.string() });
    expect(shapeOf(one)).not.toBe(shapeOf(one.extend({ more: z.string().optional() })));
    expect(shapeOf(one)).toBe(shapeOf(z.object({ id: z.string() })));
  });
});
