#!/usr/bin/env node
process.stdout.write("agent-gauntlet\n");
