import { ThreadfoldError } from "@threadfold/core";

/** The packages that are installed only where they are used, and what each of them exports. */
export interface Drivers {
  readonly pg: typeof import("pg");
  readonly ioredis: typeof import("ioredis");
  readonly "@aws-sdk/client-s3": typeof import("@aws-sdk/client-s3");
}

/**
 * Loads a package that is installed only where it is used: from where this code stands, which in a bundle is where the
 * bundle stands, else from the working directory, else from where the program was started.
 *
 * It is looked for when it is needed and by a name that no bundler can read off, so that a project which does not use it
 * can be bundled without it.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when the package is not installed, and what the package throws when it is loaded.
 */
export function loadDriver<Name extends keyof Drivers>(packageName: Name): Drivers[Name] {
  for (const place of lookupPlaces()) {
    const found = requireFrom(place, packageName);
    if (found !== undefined) return found.module as Drivers[Name];
  }
  throw new ThreadfoldError("INVALID_CONFIG", `The package ${packageName} is needed for this address.`, {
    hint: `Run: npm install ${packageName}. A program that was bundled into one file needs it in node_modules next to that file.`,
    details: { packageName },
  });
}

function lookupPlaces(): readonly string[] {
  // A bundler may put nothing, or an address of its own, in the place of this module's URL.
  const own: string | undefined = import.meta.url;
  const [, started] = process.argv;
  return [own, `${process.cwd()}/package.json`, started].flatMap((place) => place || []);
}

/** Undefined when the package cannot be found from a place. */
function requireFrom(place: string, packageName: string): { readonly module: unknown } | undefined {
  try {
    // Asked of the process: bundlers follow what is imported, and some of them rewrite a `require` made here.
    const require = process.getBuiltinModule("node:module").createRequire(place);
    return { module: require(packageName) };
  } catch (cause) {
    if (isNotFound(cause, packageName)) return undefined;
    throw cause;
  }
}

function isNotFound(cause: unknown, packageName: string): boolean {
  const { code, message = "" } = cause as NodeJS.ErrnoException;
  if (code === "ERR_INVALID_ARG_VALUE") return true;
  return (code === "MODULE_NOT_FOUND" || code === "ERR_MODULE_NOT_FOUND") && message.includes(`'${packageName}'`);
}
