import { runBrepl } from "./tables/brepl-commands.ts";
import { main } from "./main.ts";

export function startBrepl(): Promise<void> {
  return main(() => runBrepl(process.argv.slice(2), "brepl"));
}
