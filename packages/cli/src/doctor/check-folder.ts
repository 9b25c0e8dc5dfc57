import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, statfsSync, statSync, writeSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { checkTrial } from "./check-trial.ts";
import { type Checkup, checkup } from "./checkup.ts";

const MIB = 2 ** 20;
/** Below this a store may soon find no room. */
const LITTLE_SPACE = 256 * MIB;
/** An fsync that is quicker than this, in milliseconds, has hardly reached a disk. */
const TOO_QUICK_MS = 0.02;
const SAMPLES = 9;

/** File systems by the magic number of `statfs` (Linux), and whether a write-ahead log is safe there. */
const FILE_SYSTEMS: ReadonlyMap<number, { readonly name: string; readonly problem: string }> = new Map([
  [0x6969, { name: "NFS", problem: "locks and shared memory are not to be relied on over a network" }],
  [0xff534d42, { name: "CIFS", problem: "locks and shared memory are not to be relied on over a network" }],
  [0xfe534d42, { name: "SMB 2", problem: "locks and shared memory are not to be relied on over a network" }],
  [0x65735546, { name: "FUSE", problem: "whether fsync and locks hold depends on the program behind it" }],
  [0x01021994, { name: "tmpfs", problem: "it is memory: a store there ends with the machine" }],
  [0xef53, { name: "ext", problem: "" }],
  [0x58465342, { name: "XFS", problem: "" }],
  [0x9123683e, { name: "Btrfs", problem: "" }],
  [0x2fc12fc1, { name: "ZFS", problem: "" }],
  [0x794c7630, { name: "overlayfs", problem: "it is a container's own layer: a store there goes with the container" }],
]);

/** The folder of a SQLite store: what kind of disk it is, whether it has room, what an fsync takes, and a store on trial. */
export async function checkFolder(storePath: string): Promise<readonly Checkup[]> {
  const folder = dirname(resolve(storePath));
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    return [checkup("store.folder", "failed", "the store's folder is not there", "Create it, or name another store.")];
  const trial = mkdtempSync(join(folder, ".threadfold-doctor-"));
  try {
    return [checkFileSystem(folder), checkSpace(folder), checkSync(trial), ...(await checkTrial(trial))];
  } finally {
    rmSync(trial, { recursive: true, force: true });
  }
}

function checkFileSystem(folder: string): Checkup {
  const { type } = statfsSync(folder);
  const known = FILE_SYSTEMS.get(type);
  if (known === undefined) return checkup("store.file-system", "ok", `of kind 0x${type.toString(16)}`);
  if (known.problem === "") return checkup("store.file-system", "ok", known.name);
  return checkup("store.file-system", "warning", `${known.name}: ${known.problem}`, "Put the store on a local disk.");
}

function checkSpace(folder: string): Checkup {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const found = `${Math.floor(free / MIB)} MiB free`;
  return free < LITTLE_SPACE
    ? checkup("store.space", "warning", found, "Make room: a store that finds none refuses appends.")
    : checkup("store.space", "ok", found);
}

/** Writes and syncs a page some times, as each commit does. */
function checkSync(trial: string): Checkup {
  const file = openSync(join(trial, "page"), "w");
  try {
    const page = Buffer.alloc(4_096, 1);
    const times = Array.from({ length: SAMPLES }, () => {
      const before = performance.now();
      writeSync(file, page);
      fsyncSync(file);
      return performance.now() - before;
    }).sort((one, other) => one - other);
    const median = times[Math.floor(SAMPLES / 2)] ?? 0;
    const found = `fsync of a page takes ${median.toFixed(2)} ms (median of ${SAMPLES})`;
    return median < TOO_QUICK_MS
      ? checkup(
          "store.fsync",
          "warning",
          found,
          "That is too quick for a disk: after a power failure commits may be gone.",
        )
      : checkup("store.fsync", "ok", found);
  } finally {
    closeSync(file);
  }
}
