import { attest } from "../../../engine/proof/attest.ts";
import { findProject } from "../../../machine/files/find-project.ts";
import { NOTES_REF } from "../../../machine/git/notes.ts";
import { errorJson } from "../../../report/json/json.ts";
import { attestJson } from "../../../report/json/proof-json.ts";
import { EXIT } from "../../exit-code.ts";
import { tellTrouble } from "../../open-settings.ts";
import { printLine, type Terminal } from "../../output/terminal.ts";

export interface AttestOptions {
  readonly revision?: string | undefined;
  readonly json?: boolean;
}

/** Signs for others that a commit passed here, as a note in the repository. */
export async function attestCommand(
  terminal: Terminal,
  { revision = "HEAD", json }: AttestOptions,
): Promise<number> {
  const { cwd, env, stdout, stderr } = terminal;
  const attested = await attest({ root: findProject(cwd) ?? cwd, env }, revision);
  if (!attested.ok) return tellTrouble(terminal, attested.trouble, { command: "attest", json });
  if (typeof attested.value === "string") {
    const message = `${revision} cannot be attested: ${attested.value}.`;
    if (json) printLine(stdout, errorJson("attest", "error", message));
    printLine(stderr, message);
    return EXIT.notOk;
  }
  const { commit, tree, signer } = attested.value;
  if (json) printLine(stdout, attestJson({ commit, tree, signer, ref: NOTES_REF }));
  else {
    printLine(stdout, `✓ ${revision} (${commit.slice(0, 7)}) is attested by ${signer}.`);
    printLine(stdout, `Share it with \`git push origin ${NOTES_REF}\`.`);
  }
  return EXIT.ok;
}
