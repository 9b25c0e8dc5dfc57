import { asThreadId } from "@threadfold/core";
import { openStore, verifyStore } from "@threadfold/stores";
import { replayThread } from "../replay/replay-thread.ts";

// Renders every recorded request of a thread again, from the store alone, and prints the result as JSON. Arguments: the
// store's address, the thread, and for PostgreSQL the schema.
const [address = "", thread = "", schema] = process.argv.slice(2);
const store = await openStore(address, schema === undefined ? {} : { postgres: { schema } });
const replayed = await replayThread(store, asThreadId(thread));
const digests = replayed.map(({ replayedDigest }) => replayedDigest);
const problems = replayed.flatMap(({ sequence, problem }) => (problem === null ? [] : [`${sequence}: ${problem}`]));
const findings = (await verifyStore(store, asThreadId(thread))).map(({ problem }) => problem);
await store.close();
process.stdout.write(JSON.stringify({ digests, problems, findings }));
