import type { IncomingMessage } from "node:http";
import { THREAD_HEADER } from "../conversations/conversations.ts";

/** Headers that are between two ends of one connection, or that each connection has of its own. */
const OF_ONE_CONNECTION: ReadonlySet<string> = new Set([
  ...["connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection"],
  ...["te", "trailer", "transfer-encoding", "upgrade"],
]);

const NOT_SENT_ON: ReadonlySet<string> = new Set(["host", "content-length", "expect", THREAD_HEADER]);

/** A message's headers as they came, names and values in turn, without those of its connection. */
function passedOn({ rawHeaders, headers }: IncomingMessage, without: ReadonlySet<string>): readonly string[] {
  const named = new Set((headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase()));
  return rawHeaders.flatMap((name, index) => {
    const key = name.toLowerCase();
    if (index % 2 === 1 || OF_ONE_CONNECTION.has(key) || named.has(key) || without.has(key)) return [];
    return [name, rawHeaders[index + 1] ?? ""];
  });
}

/**
 * The headers of a request for the provider, without the proxy's own.
 *
 * @param length of the body in bytes; undefined for one that is passed on as it comes.
 */
export function requestHeaders(request: IncomingMessage, host: string, length: number | undefined): readonly string[] {
  const declared = length ?? request.headers["content-length"];
  return [
    ...["Host", host],
    ...passedOn(request, NOT_SENT_ON),
    ...(declared === undefined ? [] : ["Content-Length", `${declared}`]),
  ];
}

/** The headers of an answer for the client. */
export const answerHeaders = (answer: IncomingMessage): readonly string[] => passedOn(answer, new Set());
