import { statSync } from "node:fs";
import { openStore } from "@threadfold/stores";
import { checkFolder } from "./check-folder.ts";
import { checkPostgres } from "./check-postgres.ts";
import { attempted, type Checkup, checkup } from "./checkup.ts";

/** The store at an address, and what it stands on. Nothing is made and nothing is changed. */
export async function checkStore(address: string): Promise<readonly Checkup[]> {
  if (/^postgres(?:ql)?:\/\//i.test(address)) return attempted("postgres", () => checkPostgres(address));
  if (address === "memory:")
    return [checkup("store", "warning", "in memory: it ends with the process", "Name a file.")];
  const path = address.replace(/^sqlite:(\/\/)?/, "");
  return [
    ...(await attempted("store.folder", () => checkFolder(path))),
    ...(await attempted("store", () => open(path))),
  ];
}

async function open(path: string): Promise<readonly Checkup[]> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || (stats.isFile() && stats.size === 0))
    return [checkup("store", "missing", "there is no store yet", "threadfold import <file> --store <file> makes one.")];
  const store = await openStore(path);
  try {
    await store.threads.list({ limit: 1 });
  } finally {
    await store.close();
  }
  return [checkup("store", "ok", "opens; whether its content is intact says: threadfold verify")];
}
