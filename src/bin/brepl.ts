#!/usr/bin/env node
import { runProgram } from "./run-program.ts";

runProgram("brepl/main.cjs", { isStop: process.argv.includes("stop") });
