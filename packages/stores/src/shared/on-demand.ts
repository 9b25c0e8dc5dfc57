import { ThreadfoldError } from "@threadfold/core";

// An `import` of a module of Node loads everything that the module can do, whether or not anybody asks for it. That was a
// tenth of what importing the library took. These load what is used, when it is used.

/** Loaded at the first call: it takes longer to load than all other modules of Node together. */
export const nodeCrypto = (): typeof import("node:crypto") => process.getBuiltinModule("node:crypto");

/** Loaded at the first call. */
export const nodeFiles = (): typeof import("node:fs/promises") => process.getBuiltinModule("node:fs/promises");

/** Every process of Node has loaded it for itself. */
export const syncFiles: typeof import("node:fs") = process.getBuiltinModule("node:fs");

/** The packages that are installed only if they are used, and what each of them exports. */
export interface Drivers {
  readonly pg: typeof import("pg");
  readonly ioredis: typeof import("ioredis");
  readonly "@aws-sdk/client-s3": typeof import("@aws-sdk/client-s3");
}

/**
 * Loads a package that is installed only if it is used: from the location of this code, which in a bundle is the
 * location of the bundle, else from the working directory, else from the location of the program's entry file.
 *
 * It is looked up on demand and by a name that bundlers cannot resolve, so that a project that does not use it can be
 * bundled without it.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when the package is not installed, and whatever the package throws while
 * loading.
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
  // A bundler may replace this module's URL with nothing, or with a URL of its own.
  const own: string | undefined = import.meta.url;
  const [, started] = process.argv;
  return [own, `${process.cwd()}/package.json`, started].flatMap((place) => place || []);
}

/** Returns undefined when the package cannot be found from a place. */
function requireFrom(place: string, packageName: string): { readonly module: unknown } | undefined {
  try {
    // Taken from `process`: bundlers follow imports, and some of them rewrite a `require` that is created here.
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
