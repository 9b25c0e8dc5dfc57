import { ThreadfoldError, type ThreadId } from "@threadfold/core";
import { type ErasureReport, eraseSubject } from "@threadfold/stores";
import type { CliCommand } from "../command/cli-command.ts";
import { count, type Page, plainText } from "../output/page.ts";
import { STORE_OPTION } from "../parse/options.ts";
import { readingStore } from "../store/store-address.ts";
import { erasureOf, isSealed, onStoredThread, unlessErased } from "../store/stored-thread.ts";

/** `erase`: removes a thread's content for good and keeps the proof that it existed. */
export const eraseCommand: CliCommand = {
  arguments: [{ name: "threadId", description: "id of the thread whose content is erased" }],
  options: [
    { flags: "--yes", description: "erase; this cannot be undone" },
    { flags: "--dry-run", description: "say what would be erased, and erase nothing" },
    { flags: "--keep-copies", description: "do not erase forks of the thread or threads that it was handed off to" },
    { flags: "--reason <code>", description: "why, as recorded in the journal", fallback: "user-request" },
    { flags: "--actor <name>", description: "who asked for it, as recorded in the journal", fallback: "operator" },
    STORE_OPTION,
  ],
  examples: ["erase my-thread --dry-run --store sessions.db", "erase my-thread --yes --reason gdpr-17 --actor dpo"],
  async run({ arguments: [threadId = ""], options }, { io }) {
    const dryRun = options["dryRun"] === true;
    if (!dryRun && options["yes"] !== true)
      throw new ThreadfoldError("USAGE", "Erasing cannot be undone, and --yes was not given.", {
        hint: "Check with --dry-run first, then run it again with --yes.",
      });
    return readingStore(options, io.env, async (store) => {
      let keyStays = false;
      const report = await onStoredThread(store, threadId, async (id) => {
        if (!dryRun && id !== threadId) throw needsWholeId(threadId, id);
        const sealed = (await unlessErased(() => isSealed(store, id))) === true;
        keyStays = sealed && (await erasureOf(store, id))?.keyShredded !== true;
        return eraseSubject(store, id, {
          actor: String(options["actor"]),
          reason: String(options["reason"]),
          at: new Date(io.clock.now()).toISOString(),
          dryRun,
          keepCopies: options["keepCopies"] === true,
          signal: io.signal,
        });
      });
      return {
        data: { ...report, dryRun },
        text: (page) => erasePage(report, dryRun, page),
        notes: [...(dryRun ? [] : [NOT_COVERED]), ...(keyStays ? [KEY_STAYS] : [])],
      };
    });
  },
};

const NOT_COVERED = "Backups, exports and imported files are not covered: erase them too.";
const KEY_STAYS =
  "The thread is sealed, and the command has no keys: its key stays, and opens backups. To destroy it, call eraseSubject in a program that opens the store with its keys.";

/** The beginning of an id may be another thread's tomorrow, and what was erased does not come back. */
const needsWholeId = (given: string, id: ThreadId): ThreadfoldError =>
  new ThreadfoldError("THREAD_NOT_FOUND", `There is no thread ${given} in this store.`, {
    hint: `Erasing needs the whole id: ${id}.`,
  });

function erasePage({ threads, copiesLeft }: ErasureReport, dryRun: boolean, { paint }: Page): string {
  const lines = threads.map(({ threadId, copyOf, entries, plans, artifacts, wasErased, proofSequence }) => {
    const what = `${count(entries, "entry", "entries")}, ${count(plans, "plan")}, ${count(artifacts, "artifact")}`;
    const verb = dryRun ? "would erase" : wasErased ? "was erased before" : "erased";
    const proof = proofSequence === null ? "" : `; journal entry ${proofSequence} proves it`;
    const whose = copyOf === null ? "" : `, a copy of ${plainText(copyOf)}`;
    return `${paint(dryRun ? "yellow" : "green", `${verb}:`)} thread ${plainText(threadId)}${whose}, ${what}${proof}.`;
  });
  const left = copiesLeft.map((threadId) => `${paint("yellow", "not erased:")} its copy ${plainText(threadId)}.`);
  return [...lines, ...left].join("\n");
}
