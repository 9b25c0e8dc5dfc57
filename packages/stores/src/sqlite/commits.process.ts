import { ThreadfoldError } from "@threadfold/core";
import { dropPlan, entry, message, THREAD } from "../conformance/sample-data.ts";
import { openSqliteStore } from "./sqlite-store.ts";

/** What the parent asks for. */
export type CommitsRequest = { readonly do: "create" } | { readonly do: "commit"; readonly version: number };

/** How it went, for each of the operations. */
export interface CommitsAnswer {
  readonly append: string;
  readonly commit: string;
}

const [path, author, connections] = process.argv.slice(2) as [string, string, string];
const stores: Awaited<ReturnType<typeof openSqliteStore>>[] = [];

const attempt = async (work: () => Promise<string>): Promise<string> => {
  try {
    return await work();
  } catch (error) {
    return ThreadfoldError.isInstance(error) ? error.code : String(error);
  }
};

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

/** One of several processes that use one store file, each by several connections, and want the same thing at once. */
process.on("message", async (request: CommitsRequest) => {
  const working = Array.from({ length: Number(connections) }, (_, connection) => work(request, connection));
  process.send?.(await Promise.all(working));
});
process.on("disconnect", () => {
  for (const store of stores) void store.close();
});
