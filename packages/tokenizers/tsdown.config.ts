import { bundledLicenses, library } from "../../tsdown.base.ts";

/**
 * The two encodings that are counted with go into the package: the library that they are taken from has five of them in
 * two forms, 31 MB, and names a version of the AI SDK that hosts no longer have. They stand behind entries of their own,
 * for the bundled command to take the same files.
 */
export default library(
  {
    index: "src/index.ts",
    laws: "src/laws/index.ts",
    "encodings/claude": "src/encodings/claude.ts",
    "encodings/o200k-base": "src/encodings/o200k-base.ts",
  },
  {
    // A map of an encoding is as long as the encoding.
    sourcemap: false,
    // Looking through their tables for dead code takes ten seconds.
    minify: false,
    deps: { alwaysBundle: [/^ai-tokenizer/], onlyBundle: ["ai-tokenizer"] },
    plugins: [bundledLicenses("encodings/licenses.txt")],
  },
);
