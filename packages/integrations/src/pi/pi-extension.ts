import { threadfoldExtension } from "./extension.ts";

const { THREADFOLD_STORE: storeAddress } = process.env;

/**
 * The extension that `pi install npm:@threadfold/integrations` installs. When the variable `THREADFOLD_STORE` is set to
 * an address such as `sqlite:/home/me/pi.db`, threads, plans and what was folded outlast the process, and `threadfold
 * explain` and `threadfold search` can read them there.
 */
// biome-ignore lint/style/noDefaultExport: pi finds an extension by its default export.
export default threadfoldExtension(storeAddress === undefined ? {} : { storeAddress });
