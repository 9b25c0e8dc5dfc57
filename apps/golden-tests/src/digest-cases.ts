import { sha256 } from "threadfold";
import { goldenCases } from "./golden-case.ts";
import { renderCase } from "./render-case.ts";

/** Prints one line per golden file, `<case>/<file> <SHA-256>`: run in several processes, it must print the same. */
for (const golden of goldenCases()) {
  for (const [name, text] of await renderCase(golden)) process.stdout.write(`${golden.name}/${name} ${sha256(text)}\n`);
}
