import { sha256 } from "@threadfold/core";
import { BUILT_IN_MASKS, renderGoldenPrompt } from "@threadfold/golden";
import { goldenCases } from "./golden-case.ts";

/**
 * Prints one line per golden file, `<case>/<file> <SHA-256>`: run in several processes, it must print the same. The
 * session is masked here, so that masking is put to the same test.
 */
for (const { name, options } of goldenCases()) {
  // Formats are lowered alike under every preset, so all of them are tried under the one whose payloads are kept.
  const formats = options.payloads === "full" ? options.formats : options.formats?.slice(0, 1);
  const { files } = await renderGoldenPrompt({ ...options, ...(formats && { formats }), mask: BUILT_IN_MASKS });
  for (const [file, text] of files) process.stdout.write(`${name}/${file} ${sha256(text)}\n`);
}
