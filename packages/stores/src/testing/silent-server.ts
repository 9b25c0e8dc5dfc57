import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A server on this machine that takes connections and does not answer. */
export interface SilentServer {
  readonly port: number;
  close(): Promise<void>;
}

/** @param halfAnswer what it says to the first bytes it hears, before it falls silent. */
export async function startSilentServer(halfAnswer = ""): Promise<SilentServer> {
  const { server, port, close } = await listen((socket) => {
    socket.once("data", () => void (halfAnswer !== "" && socket.write(halfAnswer)));
  });
  server.unref();
  return { port, close };
}

/** Something on the way to a server that may stop to pass on what is said. */
export interface SilencingProxy extends SilentServer {
  /** Passes nothing on any more, in either direction, or everything again. */
  silence(isSilent: boolean): void;
  /** Falls silent as soon as this was asked: it still arrives, and nobody hears what comes of it. */
  loseAnswerTo(asked: string): void;
}

/** Starts one before a server on this machine. */
export async function startSilencingProxy(target: {
  readonly host: string;
  readonly port: number;
}): Promise<SilencingProxy> {
  let isSilent = false;
  let fatal: string | undefined;
  const { port, close } = await listen((socket) => {
    const beyond = connect(target);
    socket.on("data", (chunk) => {
      if (!isSilent) beyond.write(chunk);
      if (fatal !== undefined && chunk.includes(fatal)) isSilent = true;
    });
    beyond.on("data", (chunk) => void (isSilent || socket.write(chunk)));
    for (const [one, other] of [
      [socket, beyond],
      [beyond, socket],
    ] as const)
      one.on("error", () => other.destroy()).on("close", () => void (isSilent || other.destroy()));
  });
  const silence = (silent: boolean): void => {
    [isSilent, fatal] = [silent, undefined];
  };
  return { port, close, silence, loseAnswerTo: (asked) => void (fatal = asked) };
}

async function listen(onSocket: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket.on("close", () => sockets.delete(socket)).on("error", () => undefined));
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return { server, port: (server.address() as AddressInfo).port, close };
}
