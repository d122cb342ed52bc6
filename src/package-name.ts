import packageJson from "../package.json" with { type: "json" };

/** What npm calls the package, with a scope or without. Its programs are `agent-gauntlet` and `brepl` under any name. */
export const PACKAGE: string = packageJson.name;
