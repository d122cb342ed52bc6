import { join } from "node:path";
import type { Gate } from "../gates/gate.ts";
import { once } from "../once.ts";
import type { PassKey } from "../stop/pass-key.ts";
import type { Settings } from "../config/settings.ts";
import { environmentHash } from "../system/process/environment-hash.ts";
import type { Environment } from "../system/process/environment.ts";
import { programsHash } from "../system/process/programs.ts";
import { sha256 } from "#runtime";

interface PlacedGate {
  readonly gate: Gate;
  /** Relative to the project; where an entry point is a glob, the glob. */
  readonly workingDirectory: string;
}

interface Place {
  readonly root: string;
  readonly env: Environment;
}

/** What a pass of all gates is bound to; `gates` is the hash of those that run for the asker. */
export function passKey({ root, entryPoints }: Settings, gates: string, env: Environment): PassKey {
  const placed = entryPoints.flatMap((entryPoint) =>
    entryPoint.gates.map((gate) => ({ gate, workingDirectory: directoryOf(gate, entryPoint.path) })),
  );
  return { gates, environment: environmentHash(env), programs: programsOf(placed, { root, env }) };
}

function directoryOf(gate: Gate, path: string): string {
  return gate.kind === "check" ? (gate.workingDirectory ?? path) : path;
}

/** The same for a pass of one gate, whose definition and inputs `contentKey` names. */
export function gateKeys(place: Place) {
  const environment = once(() => environmentHash(place.env)); // few gates name their inputs
  return (contentKey: string | undefined, placed: PlacedGate): string | undefined =>
    contentKey && sha256(JSON.stringify([contentKey, environment(), programsOf([placed], place)]));
}

function programsOf(gates: readonly PlacedGate[], { root, env }: Place): string {
  const commands = gates.flatMap(({ gate, workingDirectory }) =>
    gate.kind === "check" ? [{ ...gate, cwd: join(root, workingDirectory) }] : [],
  );
  return programsHash(commands, { root, env });
}
