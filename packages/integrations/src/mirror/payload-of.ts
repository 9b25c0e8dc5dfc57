import { type JsonObject, ThreadfoldError } from "@threadfold/core";
import type { LiveFormat } from "@threadfold/importers";
import type { PreparedRequest } from "@threadfold/session";

/**
 * The body of a prepared request, as a format's SDK takes it.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when the session's requests are in another format.
 */
export function payloadOf(
  { format, payload }: Pick<PreparedRequest, "format" | "payload">,
  wanted: LiveFormat,
): JsonObject {
  if (format === wanted) return payload;
  throw new ThreadfoldError("INVALID_CONFIG", `The session makes requests in the format ${format}, not ${wanted}.`, {
    hint: `Open the session with format: formatById("${wanted}").`,
  });
}
