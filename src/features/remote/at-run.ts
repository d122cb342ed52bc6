/** What a run of a project with `remote` needs of it. */
export { openSharedPasses, type SharedPasses } from "./shared-passes.ts";
export { RemoteGates } from "./workers/remote-gates.ts";
