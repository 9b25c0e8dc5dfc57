import { threadTitle, titleThread } from "@threadfold/stores";
import type { CliCommand } from "../command/cli-command.ts";
import { plainText } from "../output/page.ts";
import { STORE_OPTION } from "../parse/options.ts";
import { readingStore } from "../store/store-address.ts";
import { storedThread } from "../store/stored-thread.ts";

/** `title`: gives a thread a title, or prints the one that it was given. */
export const titleCommand: CliCommand = {
  arguments: [
    { name: "threadId", description: "id of the thread" },
    { name: "title", description: "its new title; without one, the current title is printed", optional: true },
  ],
  options: [STORE_OPTION],
  examples: ['title my-thread "Move the build to Vite" --store sessions.db', "title my-thread --store sessions.db"],
  run({ arguments: [threadId = "", given], options }, { io }) {
    return readingStore(options, io.env, async (store) => {
      const { id } = await storedThread(store, threadId);
      const before = await threadTitle(store, id);
      const title = given === undefined ? before : await titleThread(store, id, given, io.clock);
      return {
        data: { threadId: id, title, before },
        text: () => (title === null ? "It has no title: threads shows its first request instead." : plainText(title)),
        brief: plainText(title ?? ""),
      };
    });
  },
};
