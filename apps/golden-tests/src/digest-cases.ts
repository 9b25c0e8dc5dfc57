import { sha256 } from "@threadfold/core";
import { BUILT_IN_MASKS, renderGoldenPrompt } from "@threadfold/golden";
import { goldenCases } from "./golden-case.ts";

/**
 * Prints one line per golden file, `<case>/<file> <SHA-256>`: every process that runs it must print the same. The
 * session is masked here, so that masking is tested too.
 */
for (const { name, options } of goldenCases()) {
  // Formats are lowered the same way under every preset, so all of them are tried only for the preset whose payloads
  // are kept.
  const formats = options.payloads === "full" ? options.formats : options.formats?.slice(0, 1);
  const { files } = await renderGoldenPrompt({ ...options, ...(formats && { formats }), mask: BUILT_IN_MASKS });
  for (const [file, text] of files) process.stdout.write(`${name}/${file} ${sha256(text)}\n`);
}
