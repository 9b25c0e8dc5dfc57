import { expect, it } from "vitest";
import { foldedSession } from "../testing/folded-session.ts";
import { linkedClient } from "../testing/linked-client.ts";
import { recordedTelemetry } from "../testing/recorded-telemetry.ts";
import { mcpTelemetry } from "./mcp-telemetry.ts";

it("meters calls of the server's tools, and why they gave nothing", async () => {
  const { store } = await foldedSession();
  const recorded = recordedTelemetry();
  const requester = { requesterId: "agent", tenantId: null, permissions: [] };
  await using server = await linkedClient({ store, requester, threadIds: "all" }, { onCall: mcpTelemetry(recorded) });
  await server.client.callTool({ name: "list_folded", arguments: {} });
  await server.client.callTool({ name: "explain", arguments: { message_id: "nope" } });
  const calls = (await recorded.points()).filter(({ metric }) => metric === "mcp.server.operation.duration");
  expect(calls).toMatchObject([
    {
      unit: "s",
      attributes: { "mcp.method.name": "tools/call", "gen_ai.tool.name": "list_folded" },
      value: { count: 1 },
    },
    { attributes: { "gen_ai.tool.name": "explain", "error.type": "not-found" }, value: { count: 1 } },
  ]);
  await recorded.close();
});
