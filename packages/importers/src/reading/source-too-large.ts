import { ThreadfoldError } from "@threadfold/core";

/** The error for a source above the limit. @param path the file that is meant, if it is one. */
export const sourceTooLarge = (maxBytes: number, path?: string): ThreadfoldError =>
  new ThreadfoldError(
    "SOURCE_TOO_LARGE",
    `${path === undefined ? "The source" : `The file ${path}`} is larger than ${maxBytes} bytes.`,
    { details: { ...(path !== undefined && { path }), limit: "maxBytes", maxBytes } },
  );
