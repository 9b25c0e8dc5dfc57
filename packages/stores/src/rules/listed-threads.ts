import { type Page, ThreadfoldError, type ThreadfoldStore, type ThreadInfo } from "@threadfold/core";

/**
 * Everything that a store lists, page by page.
 *
 * @throws ThreadfoldError `STORE_CORRUPT` when a page leads back to one that was there already, and what listing throws.
 */
export async function* listedThreads(store: Pick<ThreadfoldStore, "threads">): AsyncGenerator<ThreadInfo> {
  const cursors = new Set<string>();
  let page: Page<ThreadInfo> = await store.threads.list();
  for (;;) {
    yield* page.items;
    const { nextCursor: cursor } = page;
    if (cursor === null) return;
    if (cursors.has(cursor))
      throw new ThreadfoldError("STORE_CORRUPT", "The list of threads leads back to a page that was there already.", {
        details: { cursor },
      });
    cursors.add(cursor);
    page = await store.threads.list({ cursor });
  }
}
