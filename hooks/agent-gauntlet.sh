#!/bin/sh
# Starts agent-gauntlet for the plugin: the native program where it is installed, otherwise Node with the plugin's own copy.
native="${CLAUDE_PROJECT_DIR:-.}/node_modules/.bin/agent-gauntlet-native"
[ -x "$native" ] && exec "$native" "$@"
command -v agent-gauntlet-native >/dev/null && exec agent-gauntlet-native "$@"
exec node "${0%/*}/../dist/cli/agent-gauntlet.cjs" "$@"
