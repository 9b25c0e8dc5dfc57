import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder that goes when the test is done with it, on the disk or, where only speed matters, in memory. */
export function freshFolder(place: "disk" | "memory" = "disk"): { readonly path: string; readonly remove: () => void } {
  const root = place === "memory" && existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  const path = realpathSync(mkdtempSync(join(root, "threadfold-reliability-")));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Does rounds of work on some lanes at once, so that one lane's waiting is another one's working time. */
export async function onLanes(lanes: number, rounds: number, work: (round: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < rounds) await work(next++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
