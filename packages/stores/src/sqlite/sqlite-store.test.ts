import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "vitest";
import { storeConformance } from "../conformance/store-conformance.ts";
import { openSqliteStore } from "./sqlite-store.ts";

let folder = "";

storeConformance(
  {
    name: "SQLite",
    open: async (options) => {
      folder = mkdtempSync(join(tmpdir(), "threadfold-"));
      return openSqliteStore(join(folder, "store.db"), options);
    },
    reopen: async (options) => openSqliteStore(join(folder, "store.db"), options),
    dispose: async () => rmSync(folder, { recursive: true, force: true }),
  },
  { describe, it },
);
