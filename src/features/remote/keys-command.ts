import { loadSettings } from "../../config/gauntlet/load.ts";
import { ok, type Result } from "../../trouble.ts";
import { keyIdOfPem } from "./pass-record.ts";
import {
  createSigningKey,
  DEFAULT_KEY,
  findSigningKey,
  namedSigningKey,
  type SigningKey,
  signingKeyNames,
} from "./signing-key.ts";
import { findProject } from "../../system/files/find-project.ts";
import { ownCommand } from "../../system/process/runtime.ts";
import { keysJson } from "./json.ts";
import { EXIT } from "../../report/exit-code.ts";
import { refuse, tellTrouble } from "../../report/open-settings.ts";
import { printLine, type Terminal } from "../../report/terminal.ts";

export interface KeysOptions {
  readonly name?: string | undefined;
  readonly public?: boolean;
  readonly json?: boolean;
}

/** Creates or shows the signing key. Never prints the private half. */
export async function keysCommand(
  terminal: Terminal,
  action: "create" | "show",
  options: KeysOptions,
): Promise<number> {
  const { name = action === "create" ? DEFAULT_KEY : undefined, json } = options;
  const asked = { command: "keys", json };
  if (name !== undefined && !/^[\w-][\w.-]{0,63}$/.test(name))
    return refuse(
      terminal,
      `\`${name}\` cannot be the name of a key: use letters, digits, \`-\`, \`_\`, \`.\`.`,
      asked,
    );
  const found =
    action === "create" ? createSigningKey(name ?? DEFAULT_KEY, terminal.env) : findKey(name, terminal);
  if (!found.ok) return tellTrouble(terminal, found.trouble, asked);
  const key = found.value;
  if (key === undefined) return refuse(terminal, whyNone(terminal), asked);
  const trusted = await trustedIn(terminal, key.id);
  const { id, source, publicPem } = key;
  if (json) printLine(terminal.stdout, keysJson({ id, source, publicKey: publicPem, trustedBy: trusted }));
  else if (options.public) terminal.stdout.write(publicPem);
  else tell(terminal, key, { action, trusted, name });
  return EXIT.ok;
}

function findKey(name: string | undefined, { env }: Terminal): Result<SigningKey | undefined> {
  if (name === undefined) return findSigningKey(env);
  return signingKeyNames(env).includes(name) ? namedSigningKey(name, env) : ok(undefined);
}

function whyNone({ env }: Terminal): string {
  const names = signingKeyNames(env);
  const others = names.length === 0 ? "" : ` There are keys named ${names.join(", ")}.`;
  return `There is no such signing key here: \`agent-gauntlet keys create\` makes one.${others}`;
}

interface Told {
  readonly action: "create" | "show";
  readonly trusted: string | undefined;
  readonly name: string | undefined;
}

function tell({ stdout }: Terminal, { id, source, publicPem }: SigningKey, told: Told): void {
  printLine(stdout, `${told.action === "create" ? "Created" : "Signing key"} ${id} in ${source}`);
  if (told.trusted !== undefined) return printLine(stdout, `This project trusts it: ${told.trusted}`);
  const show = [ownCommand(), "keys show", told.name, "--public"].filter(Boolean).join(" ");
  printLine(stdout, "To have its passes count, commit its public half and name it in remote.cache.trust:");
  printLine(stdout, `  ${show} > .gauntlet/keys/${told.name ?? DEFAULT_KEY}.pub`);
  stdout.write(publicPem);
}

async function trustedIn({ cwd, env }: Terminal, id: string): Promise<string | undefined> {
  const root = findProject(cwd);
  const loaded = root === undefined ? undefined : await loadSettings(root, env);
  const trust = loaded?.ok ? loaded.value.settings.remote?.cache?.trust : undefined;
  return trust?.find(({ pem }) => keyIdOfPem(pem) === id)?.file;
}
