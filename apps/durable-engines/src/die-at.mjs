// Loaded before a page's program: kills it where DIE_AFTER says. `prepare` and `complete` are behind what a session has done
// and before an engine knows of it; `answer` is behind the provider's answer and before anybody here has it.
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
