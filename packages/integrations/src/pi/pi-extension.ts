import { threadfoldExtension } from "./extension.ts";

const { THREADFOLD_STORE: storeAddress } = process.env;

/**
 * The extension that `pi install npm:@threadfold/integrations` brings. With the variable `THREADFOLD_STORE`, an address
 * such as `sqlite:/home/me/pi.db`, threads, plans and what was folded outlast the process: `threadfold explain` and
 * `threadfold search` read them there.
 */
// biome-ignore lint/style/noDefaultExport: pi finds an extension by its default export.
export default threadfoldExtension(storeAddress === undefined ? {} : { storeAddress });
