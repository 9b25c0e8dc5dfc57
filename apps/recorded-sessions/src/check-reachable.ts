import { SOURCE_MEDIA_TYPE } from "@threadfold/cli";
import {
  actionOf,
  canonicalJson,
  explainMessage,
  importSessionFile,
  type Message,
  openStore,
  type ThreadfoldStore,
  type ThreadId,
  toolResultText,
  visibleText,
} from "threadfold";

/**
 * Checks that every message of a source can be got back from the store after folding (P1): the store's text is the
 * source's text, `explain` accounts for it, and what was externalized is in its artifact.
 */
export async function checkReachable(sourcePath: string, storePath: string): Promise<readonly string[]> {
  const source = await importSessionFile(sourcePath);
  const store = await openStore(storePath);
  try {
    const thread = await store.threads.load(source.threadId);
    if (thread === null) return ["the store has no such thread"];
    const { plan } = await store.plans.getCurrentPlan(source.threadId);
    const problems: string[] = [];
    if ((await keptSource(store, source.threadId)) !== source.source.text)
      problems.push("the store has not the source");
    for (const input of source.messages) {
      const message = thread.message(input.id);
      if (message === undefined) {
        problems.push(`message ${input.id} is not in the store`);
        continue;
      }
      if (canonicalJson(message.parts) !== canonicalJson(input.parts))
        problems.push(`message ${input.id} is another one in the store`);
      if (plan === null) continue;
      const { recovery } = explainMessage(thread, plan, message.id);
      if (!recovery.some((way) => way.from === "thread")) problems.push(`explain gives no way back to ${input.id}`);
      const { record } = actionOf(plan, message.id);
      if (record?.action !== "externalize") continue;
      const artifact = await store.artifacts.retrieve(record.artifactId);
      if (artifact?.content !== bodyOf(message))
        problems.push(`artifact ${record.artifactId} is not the body of ${input.id}`);
    }
    return problems;
  } finally {
    await store.close();
  }
}

/** The source that was imported, as the store keeps it beside the thread. */
async function keptSource(store: ThreadfoldStore, threadId: ThreadId): Promise<string | undefined> {
  for (const id of await store.artifacts.list(threadId)) {
    const metadata = await store.artifacts.getMetadata(id);
    if (metadata?.mediaType === SOURCE_MEDIA_TYPE) return (await store.artifacts.retrieve(id))?.content;
  }
  return undefined;
}

function bodyOf(message: Message): string {
  const part = message.parts[0];
  return part?.type === "tool-result" ? toolResultText(part.result.content) : visibleText(message);
}
