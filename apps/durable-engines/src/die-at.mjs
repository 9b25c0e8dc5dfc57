// Loaded before a page's program: kills it at the point that DIE_AFTER names. `prepare` and `complete` are after the
// session has done its work and before an engine records it; `answer` is after the provider's answer and before the
// program has it.
import { ContextSession } from "threadfold";

const place = process.env.DIE_AFTER;
const die = () => {
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => undefined);
};
const { fetch } = globalThis;
if (place === "answer")
  globalThis.fetch = async (address, ...given) => {
    const response = await fetch(address, ...given);
    return `${address}`.endsWith("/v1/messages") ? die() : response;
  };
else if (place !== undefined) {
  const done = ContextSession.prototype[place];
  ContextSession.prototype[place] = async function (...given) {
    await done.apply(this, given);
    return die();
  };
}
