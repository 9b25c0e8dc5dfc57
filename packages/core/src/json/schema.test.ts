import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { z } from "zod";

/** As it is built, with parts of zod inside. */
const built = (name: string): Record<string, unknown> => createRequire(import.meta.url)(`../../dist/${name}.js`);

describe("the bundled part of zod", () => {
  it("exports everything on the list, built from zod's source", async () => {
    const [fromSource, fromBuild] = [await import("./schema.ts"), built("schema")];
    expect(Object.keys(fromBuild).sort()).toEqual(Object.keys(fromSource).sort());
    for (const [name, part] of Object.entries(fromSource)) expect(part).toBe(z[name as keyof typeof z]);
  });

  it("works beside a host's own zod, and reports errors in English", async () => {
    const { textSchema, jsonObjectSchema } = built("index") as Record<string, z.ZodType>;
    if (textSchema === undefined || jsonObjectSchema === undefined) throw new Error("The door lacks a schema.");
    expect(textSchema).toBeInstanceOf(z.ZodType);
    const theirs = z.object({ name: textSchema, input: jsonObjectSchema });
    const given = { name: "read", input: { path: "a.ts" } };
    expect(theirs.parse(given)).toEqual(given);
    expect(theirs.safeParse({ ...given, name: 1 }).error?.issues).toMatchObject([
      { path: ["name"], message: "Invalid input: expected string, received number" },
    ]);
    expect(z.toJSONSchema(z.object({ name: textSchema })).properties).toEqual({ name: { type: "string" } });
  });
});
