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

const [path, author] = process.argv.slice(2) as [string, string];
let store: Awaited<ReturnType<typeof openSqliteStore>> | undefined;

const attempt = async (work: () => Promise<string>): Promise<string> => {
  try {
    return await work();
  } catch (error) {
    return ThreadfoldError.isInstance(error) ? error.code : String(error);
  }
};

/** One of several processes that use one store file and want the same thing at the same time. */
process.on("message", async (request: CommitsRequest) => {
  store ??= await openSqliteStore(path);
  const open = store;
  const version = request.do === "create" ? 0 : request.version;
  const append = await attempt(async () => {
    if (request.do === "create") await open.threads.append(THREAD, [entry(0)], { expectedVersion: "no-thread" });
    else
      await open.threads.append(
        THREAD,
        [{ type: "message", message: { ...message(0), id: `${author}-${version}` as never } }],
        { expectedVersion: "any" },
      );
    return "appended";
  });
  const commit = await attempt(async () => {
    if (request.do === "create") return "none";
    const plan = dropPlan([{ id: message(0).id, turn: 1 }], { version, threadVersion: 1, author });
    return (await open.plans.commitPlan(THREAD, plan, version - 1)).status;
  });
  process.send?.({ append, commit } satisfies CommitsAnswer);
});
process.on("disconnect", () => store?.close());
