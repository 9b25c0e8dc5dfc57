/** How every package is tested: against the sources of its neighbours, so that tests need no build. */
declare const _default: import("vite").UserConfig;
export default _default;
