import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { defineConfig, type Rolldown, type UserConfig } from "tsdown";
import { asciiOnly } from "./scripts/build/ascii-only.ts";
import { latePatterns } from "./scripts/build/late-patterns.ts";

/**
 * Build configuration of every package: one ES module per entry, with its types; dependencies stay external. What is
 * built starts sooner than its source would: it has no comments, which are in the declarations and in the sources that
 * each package brings along, only ASCII characters, and no regular expression before it is used.
 */
export const library = (
  entry: Record<string, string> = { index: "src/index.ts" },
  { plugins = [], outputOptions, ...own }: LibraryOptions = {},
) =>
  defineConfig({
    entry,
    format: "esm",
    platform: "node",
    dts: true,
    sourcemap: true,
    clean: true,
    fixedExtension: false,
    outputOptions: {
      comments: { legal: true, annotation: true, jsdoc: false },
      minify: false,
      ...outputOptions,
    },
    ...own,
    plugins: [plugins, latePatterns(), asciiOnly()],
  });

type LibraryOptions = Omit<UserConfig, "outputOptions"> & { readonly outputOptions?: Rolldown.OutputOptions };

/**
 * Puts the modules that a pattern names into one file: each file has to be found, read and linked when a program starts.
 * The declarations stay as they are.
 */
export const together = (modules: RegExp): Pick<LibraryOptions, "outputOptions"> => ({
  outputOptions: {
    codeSplitting: { groups: [{ name: "main", test: (id) => modules.test(id) && /(?<!\.d)\.ts$/.test(id) }] },
  },
});

/** Writes the licenses of the packages in the bundle to a file, as those licenses require. */
export function bundledLicenses(fileName: string) {
  return {
    name: "bundled-licenses",
    generateBundle(
      this: Emitter,
      _options: unknown,
      bundle: Readonly<Record<string, { readonly moduleIds?: readonly string[] }>>,
    ) {
      const modules = Object.values(bundle).flatMap(({ moduleIds = [] }) => moduleIds);
      this.emitFile({ type: "asset", fileName, source: licensesOf(modules) });
    },
  };
}

/** Returns the licenses of the packages that these modules come from; modules are given by path. */
export function licensesOf(modules: readonly string[]): string {
  const packages = new Set(
    modules.flatMap((id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0] ?? []),
  );
  return `${[...packages].sort().map(licenseOf).join("\n\n")}\n`;
}

interface Emitter {
  emitFile(file: { readonly type: "asset"; readonly fileName: string; readonly source: string }): unknown;
}

function licenseOf(folder: string): string {
  const name = relative(join(import.meta.dirname, "node_modules"), folder).replaceAll("\\", "/");
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) return `--- ${name} ---\n\n${declaredLicense(folder, name)}`;
  return `--- ${name} ---\n\n${readFileSync(join(folder, file), "utf8").trim()}`;
}

/** Returns what a package without a license file declares in its package.json. */
function declaredLicense(folder: string, name: string): string {
  const { license, author, homepage } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (typeof license !== "string") throw new Error(`${name} goes into the bundle and names no license.`);
  const by = typeof author === "string" ? author : author?.name;
  return [`License: ${license}`, by && `Author: ${by}`, homepage && `Source: ${homepage}`].filter(Boolean).join("\n");
}
