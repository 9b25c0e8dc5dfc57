import { sha256 } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { MIGRATIONS as POSTGRES } from "../postgres/schema.ts";
import { MIGRATIONS as SQLITE } from "../sqlite/schema.ts";

/**
 * A migration that ran on somebody's data is never edited: a store that has it does not run it again. When one of these
 * digests moves, put the old text back and add a migration behind it.
 */
describe("the migrations of a store", () => {
  it.for([
    ["SQLite", SQLITE, ["3827e3bb129f1c92", "86c7d14265cdabed", "09bc066cccff6087"]],
    ["PostgreSQL", POSTGRES, ["11e61a0d23a6aa07", "697440288b591228"]],
  ] as const)("in %s keep their released text: a change needs a new version", ([, migrations, digests]) => {
    expect(migrations.map((sql) => sha256(sql).slice(0, 16))).toEqual(digests);
  });
});
