/** How every package is built: one ES module per entry with its types, dependencies left outside. */
export declare const library: (entry?: Record<string, string>) => import("tsdown").UserConfig;
