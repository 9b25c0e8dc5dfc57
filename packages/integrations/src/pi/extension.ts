import type { ExtensionFactory } from "@earendil-works/pi-coding-agent";
import { createMemoryStore, openStore } from "@threadfold/stores";
import { RECALL_DEFINITIONS } from "../recall/recall-tools.ts";
import { type PiCompactionOptions, sessionBeforeCompact } from "./session-before-compact.ts";
import { threadfoldTools } from "./threadfold-tools.ts";

/** What an extension of pi is made with. */
export interface PiExtensionOptions extends PiCompactionOptions {
  /** The address of the store, as `openStore` takes it, in the place of `store`. It is opened when pi loads the extension. */
  readonly storeAddress?: string;
}

/**
 * An extension of pi whose compactions come from Threadfold (see `sessionBeforeCompact`), with the tools that lead the model
 * to what was compacted away.
 */
export const threadfoldExtension =
  ({ storeAddress, ...given }: PiExtensionOptions = {}): ExtensionFactory =>
  async (pi) => {
    const store = given.store ?? (storeAddress === undefined ? createMemoryStore() : await openStore(storeAddress));
    const options: PiCompactionOptions = { frame: { tools: RECALL_DEFINITIONS }, ...given, store };
    for (const tool of threadfoldTools(options)) pi.registerTool(tool);
    pi.on("session_before_compact", sessionBeforeCompact(options));
  };
