import { serveJobs } from "../../src/peers-worker.ts";
import { loadPeer } from "./load-peer.ts";

// The worker of the comparison, with the peers.
serveJobs(loadPeer);
