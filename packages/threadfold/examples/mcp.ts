// npm install threadfold @modelcontextprotocol/client
// npx threadfold import session.jsonl --store mcp.db
// node mcp.ts
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const client = new Client({ name: "reader", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command: "npx", args: ["threadfold", "mcp", "--store", "mcp.db"] }));
const { tools } = await client.listTools();
console.log(tools.map(({ name }) => name));
await client.close();
