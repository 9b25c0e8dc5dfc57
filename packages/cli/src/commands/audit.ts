import { createReadStream, statSync } from "node:fs";
import { ThreadfoldError } from "@threadfold/core";
import { type AuditReport, ed25519Signer, exportAudit, makeCheckpoint, verifyAudit } from "@threadfold/stores";
import type { CliCall, CliCommand, CliContext, CliReport } from "../command/cli-command.ts";
import { fileProblem, streamWholeFile, writeWholeFile } from "../output/output-folder.ts";
import { count, plainText } from "../output/page.ts";
import {
  checkpointOption,
  PUBLIC_KEY_OPTION,
  parsedFile,
  publicKeyOption,
  SINCE_OPTION,
  STORE_OPTION,
} from "../parse/options.ts";
import { readingStore } from "../store/store-address.ts";
import { onStoredThread } from "../store/stored-thread.ts";

type Action = (target: string, options: CliCall["options"], context: CliContext) => Promise<CliReport>;

const ACTIONS: Readonly<Record<string, { readonly run: Action; readonly takes: readonly string[] }>> = {
  export: { run: exportThread, takes: ["out", "digestsOnly", "store"] },
  verify: { run: verifyFile, takes: ["since", "publicKey"] },
  checkpoint: { run: check, takes: ["out", "key", "store"] },
};

/** What somebody who gives an action an option of another one probably wants. */
const MEANT: Readonly<Record<string, string>> = {
  "verify --key": "Did you mean --public-key? Verifying needs no private key.",
  "verify --store": "Verifying a file needs no store; to check a store, use `threadfold verify`.",
  "checkpoint --public-key": "Did you mean --key? A checkpoint is signed with the private key.",
};

/**
 * `audit`: exports a thread's record as one file that anybody can check, verifies such files, and makes checkpoints to
 * compare them with.
 */
export const auditCommand: CliCommand = {
  arguments: [
    { name: "action", description: "what to do", choices: ["export", "verify", "checkpoint"] },
    { name: "target", description: "id of a thread to export or to make a checkpoint of, or file to verify" },
  ],
  options: [
    { flags: "--out <file>", description: "file to write to" },
    { flags: "--digests-only", description: "export: leave out what messages, plans and artifacts say" },
    { flags: "--key <file>", description: "checkpoint: sign it with this Ed25519 private key in PEM" },
    SINCE_OPTION,
    PUBLIC_KEY_OPTION,
    STORE_OPTION,
  ],
  examples: [
    "audit export my-thread --store sessions.db --out audit.jsonl",
    "audit verify audit.jsonl --since checkpoint.json",
    "audit checkpoint my-thread --key auditor.pem --out checkpoint.json",
  ],
  async run({ arguments: [name = "", target = ""], options }, context) {
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (action === undefined)
      throw new ThreadfoldError("USAGE", `audit takes export, verify or checkpoint, not ${JSON.stringify(name)}.`);
    refuseOthers(name, action.takes, options);
    return action.run(target, options, context);
  },
};

/** Refuses options of other actions: a check that was asked for and not made looks like one that passed. */
function refuseOthers(name: string, takes: readonly string[], options: CliCall["options"]): void {
  const given = Object.keys(options).find((option) => options[option] !== undefined && !takes.includes(option));
  if (given === undefined) return;
  const flag = `--${given.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const owners = Object.keys(ACTIONS).filter((other) => ACTIONS[other]?.takes.includes(given));
  throw new ThreadfoldError("USAGE", `audit ${name} does not take ${flag}.`, {
    hint: MEANT[`${name} ${flag}`] ?? `It is an option of ${owners.map((owner) => `audit ${owner}`).join(" and ")}.`,
  });
}

/** Exports a file of any length: lines are written as they are read from the store. */
async function exportThread(target: string, options: CliCall["options"], { io }: CliContext): Promise<CliReport> {
  const path = pathOf(options);
  if (path === undefined) throw new ThreadfoldError("USAGE", "audit export needs --out <file> to write to.");
  return readingStore(options, io.env, async (store) => {
    const at = new Date(io.clock.now()).toISOString();
    const content = options["digestsOnly"] !== true;
    return onStoredThread(store, target, async (threadId) => {
      const lines = await streamWholeFile(path, exportAudit(store, threadId, { at, content, signal: io.signal }));
      const note = `Wrote ${count(lines, "line")} to ${path}.`;
      return { data: { threadId, lines, path }, text: () => "", notes: [note] };
    });
  });
}

async function verifyFile(target: string, options: CliCall["options"], { io }: CliContext): Promise<CliReport> {
  const since = checkpointOption(options);
  const publicKey = publicKeyOption(options);
  const trust = { ...(since !== undefined && { since }), ...(publicKey !== undefined && { publicKey }) };
  const data = await reading(target, io.signal, () => {
    refuseEmpty(target);
    return verifyAudit(createReadStream(target, { signal: io.signal }), trust);
  });
  const report: CliReport = { data, text: ({ paint }) => `${paint("green", "intact:")} ${describe(data)}` };
  if (data.problem === null) return report;
  if (data.threadId === null) return { data, text: () => "", failure: noAuditFile(target) };
  const message = `Line ${data.problem.line} of ${target} is not valid: ${data.problem.problem}.`;
  return {
    data,
    text: () => "",
    failure: new ThreadfoldError("STORE_CORRUPT", message, { hint: "Restore an intact copy." }),
  };
}

/** A file whose first line is already invalid does not reveal what it was. */
const noAuditFile = (path: string): ThreadfoldError =>
  new ThreadfoldError("STORE_CORRUPT", `${path} is not an audit file, or its first line was changed.`, {
    hint: "Pass a file that `threadfold audit export` wrote, or an intact copy; to check a store, use `threadfold verify`.",
    details: { path },
  });

function describe(report: AuditReport): string {
  const { threadId, entries, plans, artifacts, journal, checkpoints, signed, signedEntries } = report;
  const covered = signed === 0 ? "none signed" : `${signed} signed, up to journal entry ${signedEntries}`;
  const parts = [
    count(entries, "entry", "entries"),
    count(plans, "plan"),
    count(artifacts, "artifact"),
    count(journal, "journal entry", "journal entries"),
    `${count(checkpoints, "checkpoint")} (${covered})`,
  ];
  return `thread ${plainText(String(threadId))}, ${parts.join(", ")}.`;
}

async function check(target: string, options: CliCall["options"], { io }: CliContext): Promise<CliReport> {
  const { key } = options;
  const sign = typeof key === "string" ? parsedFile("--key", key, ed25519Signer) : undefined;
  const path = pathOf(options);
  return readingStore(options, io.env, async (store) => {
    const at = new Date(io.clock.now()).toISOString();
    const how = { at, signal: io.signal, ...(sign !== undefined && { sign }) };
    const checkpoint = await onStoredThread(store, target, (threadId) => makeCheckpoint(store, threadId, how));
    const text = `${JSON.stringify(checkpoint)}\n`;
    if (path !== undefined) writeWholeFile(path, text);
    return {
      data: checkpoint,
      text: () => (path === undefined ? text : ""),
      notes: [
        ...(path === undefined ? [] : [`Wrote the checkpoint to ${path}.`]),
        "Keep it where nobody who can write to the store can change it.",
      ],
    };
  });
}

/** An empty file is not a damaged one. */
function refuseEmpty(path: string): void {
  const stats = statSync(path);
  if (!stats.isFile() || stats.size > 0) return;
  throw new ThreadfoldError("EMPTY_SOURCE", `The file ${path} is empty.`, {
    hint: "Pass a file that threadfold audit export wrote.",
    details: { path },
  });
}

async function reading<Result>(path: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (signal.aborted) throw new ThreadfoldError("ABORTED", `Reading ${path} was aborted.`, { cause });
    if ((cause as NodeJS.ErrnoException).syscall === undefined) throw cause;
    throw new ThreadfoldError("UNREADABLE_SOURCE", `${path} cannot be read: ${fileProblem(cause)}.`, {
      details: { path },
      cause,
    });
  }
}

const pathOf = ({ out }: CliCall["options"]): string | undefined => (typeof out === "string" ? out : undefined);
