import { serveSpeed } from "../../src/speed-policy-worker.ts";
import { loadPeer } from "./load-peer.ts";

// The worker of the speed bench, with the peers.
await serveSpeed(loadPeer);
