import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { createInterface } from "node:readline";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import { type ListWork, workOnList } from "./list-history.ts";

// Reads work on SQLite files from stdin, one per line, and reports every operation on stdout at once: it may be killed.
const print = (word: object): void => void writeSync(1, `${JSON.stringify(word)}\n`);

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { path, ...work } = JSON.parse(line) as ListWork & { readonly path: string };
  const store = await openSqliteStore(path);
  await workOnList(store, work, print);
  await store.close();
  print({ done: true });
});
flushCompileCache();
print({ ready: true });
