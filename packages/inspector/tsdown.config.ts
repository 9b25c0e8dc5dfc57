import { library, licensesOf } from "../../tsdown.base.ts";
import { bundleApplication } from "./src/bundling/bundle-application.ts";

const { script, style, modules } = await bundleApplication();

/** Every page is a copy of the libraries in it, and carries their licences. */
const licensed = { script, style: `/*\n${licensesOf(modules).replaceAll("*/", "* /")}*/\n${style}` };

/** Puts the bundled application where the sources would bundle it. */
const bundledApplication = {
  name: "bundled-application",
  load: (id: string) =>
    /[\\/]bundling[\\/]bundle-application\.ts$/.test(id)
      ? `export const bundleApplication = async () => (${JSON.stringify(licensed)});`
      : undefined,
};

export default library(undefined, { plugins: [bundledApplication], sourcemap: false });
