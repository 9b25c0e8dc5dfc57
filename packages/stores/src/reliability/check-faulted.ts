import { existsSync, statSync } from "node:fs";
import { ThreadfoldError, type ThreadfoldStore } from "@threadfold/core";
import { OTHER_THREAD, START, THREAD } from "../conformance/sample-data.ts";
import { eraseSubject } from "../erasure/erase-subject.ts";
import { verifyStore } from "../inspection/verify-store.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import type { FaultedWord } from "./faulted-word.ts";

/**
 * Opens what a faulted process left behind and says what is wrong with it: what was acknowledged has to be there, what
 * was not has to be there wholly or not at all, every error has to be a typed one, and the store has to verify.
 */
export async function faultedProblems(path: string, words: readonly FaultedWord[]): Promise<readonly string[]> {
  const mine = words.filter((word) => word.path === path);
  const problems = mine.filter(({ outcome }) => outcome.startsWith("untyped")).map(({ outcome }) => outcome);
  const acknowledged = new Set(mine.filter(({ outcome }) => outcome === "acknowledged").map(({ step }) => step));
  if (!existsSync(path) || statSync(path).size === 0)
    return acknowledged.size === 0 ? problems : [...problems, "the file is gone"];
  const store = await openSqliteStore(path);
  try {
    const must = (step: FaultedWord["step"], found: number, whole: number): void => {
      if (found !== whole && (found !== 0 || acknowledged.has(step))) problems.push(`${step}: ${found} of ${whole}`);
    };
    must("append", (await store.threads.load(THREAD))?.version ?? 0, 4);
    must("commit", (await store.plans.getCurrentPlan(THREAD)).version, 1);
    must("artifact", (await store.artifacts.list(THREAD)).length, 1);
    for (const id of await store.artifacts.list(THREAD)) {
      if ((await store.artifacts.retrieve(id))?.content !== "kept content") problems.push("artifact: other content");
    }
    const other = await versionOrErased(store);
    if (other === "erased") await eraseSubject(store, OTHER_THREAD, { actor: "test", reason: "test", at: START });
    else {
      must("other", other, 2);
      if (acknowledged.has("erase") && other !== 0) problems.push("erase: the content is there");
    }
    const findings = await verifyStore(store);
    return [...problems, ...findings.map(({ family, problem }) => `${family}: ${problem}`)];
  } finally {
    await store.close();
  }
}

async function versionOrErased(store: ThreadfoldStore): Promise<number | "erased"> {
  try {
    return (await store.threads.load(OTHER_THREAD))?.version ?? 0;
  } catch (error) {
    if (ThreadfoldError.isInstance(error) && error.code === "CONTENT_ERASED") return "erased";
    throw error;
  }
}
