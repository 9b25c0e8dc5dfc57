import { rmSync, writeSync } from "node:fs";
import { ThreadfoldError } from "@threadfold/core";
import { verifyStore } from "../audit/verify-store.ts";
import { message, THREAD } from "../laws/sample-data.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";

// Appends to a store until that fails or a count is reached, then removes a file, if one is named, to make room, and
// appends some more. It prints the result as one line of JSON. If started by root with a user's number, it continues as
// that user.
const user = Number(process.env["THREADFOLD_TEST_USER"] ?? Number.NaN);
if (!Number.isNaN(user)) {
  process.setgroups?.([]);
  process.setgid?.(user);
  process.setuid?.(user);
}
const [path = "", count = "0", ballast] = process.argv.slice(2);
const outcomes: string[] = [];
let acknowledged = 0;
let afterwards = 0;

async function append(store: Awaited<ReturnType<typeof openSqliteStore>>): Promise<boolean> {
  try {
    const { version } = (await store.threads.load(THREAD)) ?? { version: 0 };
    const entry = { type: "message" as const, message: message(version, "x".repeat(8_000)) };
    await store.threads.append(THREAD, [entry], { expectedVersion: version });
    return true;
  } catch (error) {
    outcomes.push(ThreadfoldError.isInstance(error) ? error.code : `untyped ${String(error)}`);
    return false;
  }
}

try {
  const store = await openSqliteStore(path);
  while (acknowledged < Number(count) && (await append(store))) acknowledged++;
  if (ballast !== undefined) {
    rmSync(ballast);
    while (afterwards < 5 && (await append(store))) afterwards++;
  }
  const findings = (await verifyStore(store)).map(({ problem }) => problem);
  const version = (await store.threads.load(THREAD))?.version ?? 0;
  await store.close();
  writeSync(1, JSON.stringify({ outcomes, acknowledged, afterwards, version, findings }));
} catch (error) {
  const code = ThreadfoldError.isInstance(error) ? error.code : `untyped ${String(error)}`;
  writeSync(
    1,
    JSON.stringify({ outcomes: [...outcomes, code], acknowledged, afterwards, version: null, findings: [] }),
  );
}
