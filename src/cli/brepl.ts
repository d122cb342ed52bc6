#!/usr/bin/env node
import module from "node:module";

const { enableCompileCache } = module as { readonly enableCompileCache?: () => void }; // since Node 22.1
enableCompileCache?.(); // so everything else is loaded after this line
void import("./start-brepl.ts").then(({ startBrepl }) => startBrepl());
