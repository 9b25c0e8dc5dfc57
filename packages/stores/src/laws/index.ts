export { type KeyBackend, keyStoreLaws } from "./key-store-laws.ts";
export { type StoreBackend, storeLaws } from "./store-laws.ts";
