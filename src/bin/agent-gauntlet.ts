#!/usr/bin/env node
import { runProgram } from "./run-program.ts";

runProgram("agent-gauntlet/main.cjs", { isStop: process.argv[2] === "stop-hook" });
