/** The part of cli-progress that is used here; the package has no types. */
declare module "cli-progress" {
  export interface SingleBarOptions {
    readonly format: string;
    readonly stream: NodeJS.WritableStream;
    readonly clearOnComplete: boolean;
    readonly linewrap: boolean;
  }
  export class SingleBar {
    constructor(options: SingleBarOptions, preset: object);
    start(total: number, value: number, payload: object): void;
    update(value: number, payload: object): void;
    stop(): void;
  }
  const cliProgress: {
    readonly SingleBar: typeof SingleBar;
    readonly Presets: { readonly shades_classic: object };
  };
  export default cliProgress;
}
