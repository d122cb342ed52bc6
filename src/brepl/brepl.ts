#!/usr/bin/env node
import { keepCompiled } from "../system/process/keep-compiled.ts";

keepCompiled(); // so everything else is loaded after this line
void import("./start-brepl.ts").then(({ startBrepl }) => startBrepl());
