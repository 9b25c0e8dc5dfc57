import { ThreadfoldError } from "@threadfold/core";
import { dropPlan, entry, message, THREAD } from "../laws/sample-data.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";

/** A request from the parent. */
export type CommitsRequest = { readonly do: "create" } | { readonly do: "commit"; readonly version: number };

/** The outcome of each of the operations. */
export interface CommitsAnswer {
  readonly append: string;
  readonly commit: string;
}

// One of several processes that use one store file and want the same thing at once. Told to `open`, it opens the files
// named after that, one after another, as fast as it can; told to `commit`, it does what its parent requests on several
// connections, until the parent disconnects.
const [task, ...named] = process.argv.slice(2);
const [path, author, connections] = named as [string, string, string];
const stores: Awaited<ReturnType<typeof openSqliteStore>>[] = [];
if (task === "open") for (const file of named) await (await openSqliteStore(file)).close();
else listen();

async function attempt(work: () => Promise<string>): Promise<string> {
  try {
    return await work();
  } catch (error) {
    return ThreadfoldError.isInstance(error) ? error.code : String(error);
  }
}

async function work(request: CommitsRequest, connection: number): Promise<CommitsAnswer> {
  const open = (stores[connection] ??= await openSqliteStore(path));
  const version = request.do === "create" ? 0 : request.version;
  const by = `${author}-${connection}`;
  const append = await attempt(async () => {
    if (request.do === "create") await open.threads.append(THREAD, [entry(0)], { expectedVersion: "no-thread" });
    else
      await open.threads.append(
        THREAD,
        [{ type: "message", message: { ...message(0), id: `${by}-${version}` as never } }],
        { expectedVersion: "any" },
      );
    return "appended";
  });
  const commit = await attempt(async () => {
    if (request.do === "create") return "none";
    const plan = dropPlan([{ id: message(0).id, turn: 1 }], { version, threadVersion: 1, author: by });
    return (await open.plans.commitPlan(THREAD, plan, version - 1)).status;
  });
  return { append, commit };
}

function listen(): void {
  process.on("message", async (request: CommitsRequest) => {
    const working = Array.from({ length: Number(connections) }, (_, connection) => work(request, connection));
    process.send?.(await Promise.all(working));
  });
  process.on("disconnect", () => {
    for (const store of stores) void store.close();
  });
}
