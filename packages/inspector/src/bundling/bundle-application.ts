import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** The page's script and style, as texts to embed in it. */
export interface Application {
  readonly script: string;
  readonly style: string;
}

/** An application and the modules it was built from. */
interface BundledApplication extends Application {
  /** Paths of the modules that went into it. */
  readonly modules: readonly string[];
}

const source = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Bundles the page's script and its style into one text each. */
export async function bundleApplication(): Promise<BundledApplication> {
  const { outputFiles, metafile } = await build({
    entryPoints: { page: source("shell/main.tsx"), style: source("style/inspector.css") },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    outdir: "out",
    format: "iife",
    target: ["chrome120", "firefox120", "safari17"],
    conditions: ["threadfold-source"],
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    charset: "utf8",
    absWorkingDir: source("."),
  });
  const text = (end: string): string => outputFiles.find(({ path }) => path.endsWith(end))?.text.trim() ?? "";
  return {
    // An end tag inside a script would end the script.
    script: text("page.js").replaceAll("</script", "<\\/script"),
    style: text("style.css").replaceAll("</style", "<\\/style"),
    modules: Object.keys(metafile.inputs).map(source),
  };
}
