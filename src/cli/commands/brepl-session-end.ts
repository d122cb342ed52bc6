import { forgetBreplSession } from "../../engine/brepl.ts";
import { textOf } from "../../hosts/payload.ts";
import { currentDirectory } from "../../machine/process/environment.ts";
import { cancellation } from "../cancellation.ts";
import { EXIT } from "../exit-code.ts";
import { readEvent } from "../read-event.ts";

/** `brepl hook session-end`: nothing of the session is left behind. */
export async function breplSessionEnd(): Promise<number> {
  using cancelled = cancellation();
  const read = await readEvent(cancelled.signal);
  if (!read.ok) {
    process.stderr.write(`Error parsing SessionEnd event JSON: ${read.problem}\n`);
    return EXIT.notOk;
  }
  const sessionId = textOf(read.payload, "session_id");
  const transcriptPath = textOf(read.payload, "transcript_path");
  const forgotten = forgetBreplSession({ sessionId, transcriptPath }, currentDirectory());
  if (forgotten === undefined) return EXIT.ok;
  process.stderr.write(`${forgotten}\n`);
  return EXIT.notOk;
}
