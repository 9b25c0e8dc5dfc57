export { PROVIDERS, type Provider } from "./apis/provider-api.ts";
export { PROVIDER_ADDRESSES, type ProxyOptions, type RunningProxy, startProxy } from "./start-proxy.ts";
export { type ConversationOptions, THREAD_HEADER } from "./conversations/conversations.ts";
export type { ProxiedTurn } from "./exchange.ts";
