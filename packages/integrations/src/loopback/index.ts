export {
  closeNow,
  isLoopbackHost,
  isSameToken,
  LOOPBACK,
  type LoopbackService,
  listenOnLoopback,
  serveOnLoopback,
} from "./loopback.ts";
