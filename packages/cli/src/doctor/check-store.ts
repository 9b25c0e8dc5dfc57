import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, statfsSync, statSync, writeSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { openStore } from "@threadfold/stores";
import type { PostgresDriver } from "@threadfold/stores/postgres";
import { isServerAddress } from "../store/store-address.ts";
import { checkTrial } from "./check-trial.ts";
import { attempted, type Checkup, checkup } from "./checkup.ts";

const SCHEMA = "threadfold";
const LEAST_VERSION = 140_000;

/** Checks the server of a PostgreSQL store, its tables, and whether it keeps tenants apart. */
async function checkPostgres(address: string): Promise<readonly Checkup[]> {
  const { connectPostgres, readRowSecurity, schemaVersionOf } = await import("@threadfold/stores/postgres");
  const driver = connectPostgres(address, { maxConnections: 1 });
  try {
    const server = await checkServer(driver);
    const version = await schemaVersionOf(driver, SCHEMA);
    const tables =
      version === null
        ? checkup("postgres.tables", "missing", `no tables in the schema ${SCHEMA}`, "migratePostgres creates them.")
        : checkup("postgres.tables", "ok", `the schema ${SCHEMA} is at version ${version}`);
    const { isOn, loophole } = await readRowSecurity(driver, SCHEMA);
    const role =
      loophole === null
        ? checkup("postgres.role", "ok", "row-level security applies to this role")
        : checkup("postgres.role", "warning", `this role ${loophole}`, "Use a separate role to serve several tenants.");
    const security = isOn
      ? checkup("postgres.row-level-security", "ok", "on for all tables")
      : checkup("postgres.row-level-security", "warning", "off", "migratePostgres with applicationRole turns it on.");
    return [...server, tables, role, security];
  } finally {
    await driver.close();
  }
}

async function checkServer(driver: PostgresDriver): Promise<readonly Checkup[]> {
  const [row] = await driver.query<Record<"number" | "version" | "encoding" | "fsync" | "synchronous", string>>(
    `SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS version,
      current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync,
      current_setting('synchronous_commit') AS synchronous`,
  );
  const { number = "0", version = "unknown", encoding = "unknown", fsync, synchronous } = row ?? {};
  const isKnown = Number(number) >= LEAST_VERSION;
  const isDurable = fsync === "on" && synchronous !== "off";
  return [
    isKnown
      ? checkup("postgres", "ok", `PostgreSQL ${version}`)
      : checkup("postgres", "warning", `PostgreSQL ${version}`, "It is older than the versions that are tested."),
    encoding === "UTF8"
      ? checkup("postgres.encoding", "ok", encoding)
      : checkup("postgres.encoding", "failed", encoding, "Create the database with ENCODING 'UTF8'."),
    isDurable
      ? checkup("postgres.durability", "ok", `fsync ${fsync}, synchronous_commit ${synchronous}`)
      : checkup(
          "postgres.durability",
          "warning",
          `fsync ${fsync}, synchronous_commit ${synchronous}`,
          "Acknowledged writes may be lost when the server crashes.",
        ),
  ];
}

/** Checks the store at an address and what it depends on. Nothing is created or changed. */
export async function checkStore(address: string): Promise<readonly Checkup[]> {
  if (/^postgres(?:ql)?:\/\//i.test(address)) return attempted("postgres", () => checkPostgres(address));
  if (address === "memory:")
    return [checkup("store", "warning", "in memory: it is lost when the process ends", "Name a file.")];
  if (isServerAddress(address)) return attempted("store", () => open(address));
  const path = address.replace(/^sqlite:(\/\/)?/, "");
  return [
    ...(await attempted("store.folder", () => checkFolder(path))),
    ...(await attempted("store", () => open(path))),
  ];
}

async function open(address: string): Promise<readonly Checkup[]> {
  if (!isServerAddress(address) && isEmpty(address))
    return [
      checkup("store", "missing", "there is no store yet", "threadfold import <file> --store <file> creates one."),
    ];
  const store = await openStore(address);
  try {
    await store.threads.list({ limit: 1 });
  } finally {
    await store.close();
  }
  return [checkup("store", "ok", "opens; to check that its content is intact: threadfold verify")];
}

function isEmpty(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined || (stats.isFile() && stats.size === 0);
}

const MIB = 2 ** 20;
/** Below this a store may soon run out of space. */
const LITTLE_SPACE = 256 * MIB;
/** An fsync faster than this, in milliseconds, has probably not reached a disk. */
const TOO_QUICK_MS = 0.02;
const SAMPLES = 9;

/** File systems by the magic number of `statfs` (Linux), and why a write-ahead log is unsafe there, if it is. */
const FILE_SYSTEMS: ReadonlyMap<number, { readonly name: string; readonly problem: string }> = new Map([
  [0x6969, { name: "NFS", problem: "locks and shared memory cannot be relied on over a network" }],
  [0xff534d42, { name: "CIFS", problem: "locks and shared memory cannot be relied on over a network" }],
  [0xfe534d42, { name: "SMB 2", problem: "locks and shared memory cannot be relied on over a network" }],
  [0x65735546, { name: "FUSE", problem: "whether fsync and locks work depends on the program behind it" }],
  [0x01021994, { name: "tmpfs", problem: "it is memory: a store there is lost when the machine stops" }],
  [0xef53, { name: "ext", problem: "" }],
  [0x58465342, { name: "XFS", problem: "" }],
  [0x9123683e, { name: "Btrfs", problem: "" }],
  [0x2fc12fc1, { name: "ZFS", problem: "" }],
  [
    0x794c7630,
    { name: "overlayfs", problem: "it is a container's own layer: a store there is lost with the container" },
  ],
]);

/**
 * Checks the folder of a SQLite store: the kind of disk, its free space, the duration of an fsync, and a trial store.
 */
async function checkFolder(storePath: string): Promise<readonly Checkup[]> {
  const folder = dirname(resolve(storePath));
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    return [
      checkup("store.folder", "failed", "the store's folder does not exist", "Create it, or name another store."),
    ];
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
    ? checkup("store.space", "warning", found, "Free some space: a store without any refuses appends.")
    : checkup("store.space", "ok", found);
}

/** Writes and syncs a page several times, as each commit does. */
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
      ? checkup("store.fsync", "warning", found, "That is too fast for a disk: commits may be lost in a power failure.")
      : checkup("store.fsync", "ok", found);
  } finally {
    closeSync(file);
  }
}
