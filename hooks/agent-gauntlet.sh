#!/bin/sh
# Starts agent-gauntlet for the plugin: the native program where it is installed, otherwise Node with the plugin's own copy. Never one
# that lies in the project: the plugin serves every project, also those that nobody has allowed.
command -v agent-gauntlet-native >/dev/null && exec agent-gauntlet-native "$@"
exec node "${0%/*}/../dist/cli/agent-gauntlet.cjs" "$@"
