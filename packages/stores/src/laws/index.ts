export { type StoreBackend, storeLaws } from "./store-laws.ts";
