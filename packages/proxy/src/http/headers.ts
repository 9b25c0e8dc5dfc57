import type { IncomingMessage } from "node:http";
import { THREAD_HEADER } from "../conversations/conversations.ts";
import { readableCodings } from "./body.ts";

/** Headers that apply to a single connection only. */
const OF_ONE_CONNECTION: ReadonlySet<string> = new Set([
  ...["connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection"],
  ...["te", "trailer", "transfer-encoding", "upgrade"],
]);

const NOT_SENT_ON: ReadonlySet<string> = new Set(["host", "content-length", "expect", THREAD_HEADER]);

/** Returns a message's raw headers, names and values alternating, without those of its connection. */
function passedOn({ rawHeaders, headers }: IncomingMessage, without: ReadonlySet<string>): readonly string[] {
  const named = new Set((headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase()));
  return rawHeaders.flatMap((name, index) => {
    const key = name.toLowerCase();
    if (index % 2 === 1 || OF_ONE_CONNECTION.has(key) || named.has(key) || without.has(key)) return [];
    return [name, rawHeaders[index + 1] ?? ""];
  });
}

/**
 * Returns the headers of a request to the provider, without the proxy's own.
 *
 * @param length the length of the body in bytes; undefined for a body that is streamed through unchanged.
 * @param isAnswerRead true to accept the answer only in codings that can be read here.
 */
export function requestHeaders(
  request: IncomingMessage,
  host: string,
  length: number | undefined,
  isAnswerRead: boolean,
): readonly string[] {
  const passed = passedOn(request, NOT_SENT_ON);
  const declared = length ?? request.headers["content-length"];
  return [
    ...["Host", host],
    ...(isAnswerRead ? withReadableCodings(passed) : passed),
    ...(declared === undefined ? [] : ["Content-Length", `${declared}`]),
    // Without it, Node gives the streamed body of a method such as DELETE no bounds.
    ...(declared === undefined && request.headers["transfer-encoding"] !== undefined
      ? ["Transfer-Encoding", "chunked"]
      : []),
  ];
}

const withReadableCodings = (headers: readonly string[]): readonly string[] =>
  headers.map((text, index) =>
    index % 2 === 1 && headers[index - 1]?.toLowerCase() === "accept-encoding" ? readableCodings(text) : text,
  );

/** Returns the headers of an answer to the client. */
export const answerHeaders = (answer: IncomingMessage): readonly string[] => passedOn(answer, new Set());
