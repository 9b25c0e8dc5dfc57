// npm install threadfold @threadfold/integrations @agentclientprotocol/sdk @anthropic-ai/sdk
// node acp-client.ts
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";

const { stdin, stdout } = spawn(process.execPath, [...process.execArgv, "acp.ts"], {
  stdio: ["pipe", "pipe", "inherit"],
});
const lines = ndJsonStream(Writable.toWeb(stdin), Readable.toWeb(stdout) as ReadableStream<Uint8Array>);
await client({ name: "editor" }).connectWith(lines, async (editor) => {
  const clientCapabilities = { session: { compaction: {}, notices: {} } };
  await editor.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities });
  const session = await editor.buildSession(process.cwd()).start();
  console.log(await Promise.all([session.prompt("Is all in order?"), session.readText()]));
});
stdin.end();
