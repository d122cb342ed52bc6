import { runBrepl } from "./commands.ts";
import { main } from "../system/process/main.ts";

export function startBrepl(): Promise<void> {
  return main(() => runBrepl(process.argv.slice(2), "brepl"));
}
