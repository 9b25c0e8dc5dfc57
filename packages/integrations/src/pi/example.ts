// An extension of pi, for ~/.pi/agent/extensions: pi says when to compact and what stays, Threadfold supplies the summary.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { openStore } from "@threadfold/stores";
// In your own code: "@threadfold/integrations/pi".
import { sessionBeforeCompact } from "./session-before-compact.ts";

// biome-ignore lint/style/noDefaultExport: pi finds an extension by its default export.
export default async function extension(pi: ExtensionAPI): Promise<void> {
  // Threads, plans and what was folded outlast the process: `threadfold explain` and `threadfold search` read them.
  const store = await openStore(process.env["THREADFOLD_STORE"] ?? "memory:");
  pi.on("session_before_compact", sessionBeforeCompact({ store }));
}
