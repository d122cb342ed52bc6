/** The engine for programs that are not a command line. The package holds it once: the library and the SDK load that of `agent-gauntlet`. */
export { handleStop, recordStop } from "./handle-stop.ts";
export { runAndRecord } from "./proof/run-and-record.ts";
