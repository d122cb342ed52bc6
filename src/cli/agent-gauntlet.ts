#!/usr/bin/env node
import { keepCompiled } from "../system/process/keep-compiled.ts";

keepCompiled(); // so everything else is loaded after this line
void import("./start-gauntlet.ts").then(({ startGauntlet }) => startGauntlet());
