// Your own pi extension, in a folder under ~/.pi/agent/extensions: pi decides when to compact and what stays,
// Threadfold supplies the summary and the tools that read what was folded. (If you need no options, `pi install
// npm:@threadfold/integrations` does the same.)
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

// In your own code: "@threadfold/integrations/pi".
const loading = import("../pi/extension.ts").catch((cause: unknown) => {
  throw new Error("Install what this extension needs, in its folder: npm install @threadfold/integrations", { cause });
});
// A missing package is reported when pi starts the extension.
loading.catch(() => undefined);

// biome-ignore lint/style/noDefaultExport: pi finds an extension by its default export.
export default async function extension(pi: ExtensionAPI): Promise<void> {
  const { threadfoldExtension } = await loading;
  // Threads, plans and what was folded outlast the process: `threadfold explain` and `threadfold search` read them.
  const storeAddress = process.env["THREADFOLD_STORE"] ?? "memory:";
  await threadfoldExtension({ storeAddress })(pi);
}
