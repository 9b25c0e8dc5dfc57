import { createServer, get } from "node:http";
import { describe, expect, it } from "vitest";
import { closeNow, isLoopbackHost, isSameToken, listenOnLoopback, serveOnLoopback } from "./loopback.ts";

describe("the loopback interface", () => {
  it("is recognized by each of its host names, on any port", () => {
    for (const host of ["127.0.0.1", "localhost:8080", "LOCALHOST", "[::1]:1"]) expect(isLoopbackHost(host)).toBe(true);
    for (const host of [undefined, "", "127.0.0.1.example.org", "localhost:80:80", "example.org", "10.0.0.1"])
      expect(isLoopbackHost(host)).toBe(false);
  });

  it("accepts only the exact token", () => {
    expect(isSameToken("abc", "abc")).toBe(true);
    for (const guess of ["", "ab", "abcd", "ABC"]) expect(isSameToken(guess, "abc")).toBe(false);
  });

  it("names the port that is already taken", async () => {
    const first = createServer();
    const port = await listenOnLoopback(first, 0);
    await expect(listenOnLoopback(createServer(), port)).rejects.toMatchObject({
      code: "USAGE",
      message: `Cannot listen on port ${port} of the loopback interface.`,
    });
    await closeNow(first);
  });

  it("is served until the signal is aborted, which also cuts open connections", async () => {
    const ending = new AbortController();
    const events: string[] = [];
    const server = createServer((_request, response) => response.writeHead(200).flushHeaders());
    await serveOnLoopback(server, {
      port: 0,
      signal: ending.signal,
      onListening: (port) =>
        get({ port, host: "127.0.0.1" }, () => ending.abort()).on("error", () => events.push("cut")),
      onEnding: () => void events.push("ending"),
    });
    expect([events[0], server.listening]).toEqual(["ending", false]);
  });

  it("is not listened on if the signal is already aborted", async () => {
    const server = createServer();
    const never = () => expect.unreachable();
    await serveOnLoopback(server, { port: 0, signal: AbortSignal.abort(), onListening: never, onEnding: never });
    expect(server.listening).toBe(false);
  });
});
