import manifest from "../package.json" with { type: "json" };

/** The version of the command. */
export const THREADFOLD_VERSION: string = manifest.version;
