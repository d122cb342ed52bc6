import { runBrepl } from "./brepl-commands.ts";
import { main } from "./main.ts";

void main(() => runBrepl(process.argv.slice(2), "brepl"));
