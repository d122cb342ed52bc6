import { join } from "node:path";
import { commit, largeRepository, repository, writeFiles } from "./fixtures.mjs";

/** The field on the same task: one gate whose files did not change. */
export function peersForNothing({ work, env, peers }) {
  const cwd = repository(join(work, "peers-nothing"), 30);
  writeFiles(cwd, {
    ...lefthookFiles(["true"], '      glob: "*.none"\n'),
    ...preCommitFiles(["true"], "[.]none$"),
  });
  commit(cwd, "Add gates");
  const at = { cwd, env, peers };
  return available(peers, [
    lefthookNative(at),
    peer(at, ["lefthook", "lefthook via npm"], { argv: [peers.bin("lefthook"), "run", "pre-commit"] }),
    peer(at, ["@j178/prek", "prek via npm"], { argv: [peers.bin("prek"), "run", "--all-files"] }),
    peer(at, ["pre-commit", "pre-commit"], { argv: ["pre-commit", "run", "--all-files"], maxRounds: 8 }),
  ]);
}

/** The same commands, side by side where the peer can. */
export function peersForGates({ work, env, peers }, { count, command, maxRounds }) {
  const commands = Array.from({ length: count }, () => command);
  const cwd = repository(join(work, `peers-${count}-${command.split(" ")[0]}`), 30);
  writeFiles(cwd, {
    ...lefthookFiles(commands, ""),
    ...scriptFiles(commands),
  });
  commit(cwd, "Add gates");
  const at = { cwd, env, peers };
  const names = commands.map((_, index) => `gate${index}`);
  const turbo = [peers.bin("turbo"), "run", ...names, "--force", "--concurrency=50"];
  return available(peers, [
    { ...lefthookNative(at), maxRounds },
    peer(at, ["concurrently", "concurrently"], { argv: [peers.bin("concurrently"), ...commands], maxRounds }),
    peer(at, ["wireit", "wireit"], { argv: ["npm", "run", "--silent", "every"], maxRounds }),
    ...(count > 10 ? [] : [peer(at, ["turbo", "turbo"], { argv: turbo, maxRounds: 3 })]),
  ]).map((one) => ({ ...one, name: `${one.name}, ${count}` }));
}

/** Nothing changed since the last time, in a large repository. */
export function peersForUnchanged({ env, peers }, fileCount) {
  if (Object.keys(peers.versions).length === 0) return []; // its repository takes a minute to make
  const cwd = largeRepository("field", fileCount, {
    ...lefthookFiles(["true"], '      glob: "*.none"\n'),
    ...preCommitFiles(["true"], "[.]none$"),
    ...scriptFiles(["true"]),
  });
  const at = { cwd, env, peers };
  return available(peers, [
    peer(at, ["lefthook", "lefthook via npm"], { argv: [peers.bin("lefthook"), "run", "pre-commit"] }),
    peer(at, ["turbo", "turbo, cache hit"], { argv: [peers.bin("turbo"), "run", "gate0"], maxRounds: 6 }),
    peer(at, ["pre-commit", "pre-commit"], { argv: ["pre-commit", "run", "--all-files"], maxRounds: 4 }),
  ]);
}

/** One command that prints too much. */
export function peersForOutput({ work, env, peers }, command) {
  const cwd = repository(join(work, "peers-output"), 30);
  writeFiles(cwd, {
    ...lefthookFiles([command], ""),
    ...scriptFiles([command]),
    ...preCommitFiles([command], ""),
  });
  commit(cwd, "Add gates");
  const at = { cwd, env, peers };
  return available(peers, [
    lefthookNative(at),
    peer(at, ["concurrently", "concurrently"], { argv: [peers.bin("concurrently"), command] }),
    peer(at, ["turbo", "turbo"], { argv: [peers.bin("turbo"), "run", "gate0", "--force"] }),
  ]).map((one) => ({ ...one, maxRounds: 1, isLoud: true }));
}

function available(peers, candidates) {
  return candidates.filter(({ peerName }) => peers.versions[peerName] !== undefined);
}

function peer({ cwd, env, peers }, [peerName, name], { argv, maxRounds }) {
  const path = `${peers.bin("..")}/.bin:${env.PATH}`;
  const quiet = { TURBO_NO_UPDATE_NOTIFIER: "1", WIREIT_CACHE: "none", WIREIT_PARALLEL: "50" };
  return { peerName, name, argv, cwd, env: { ...env, ...quiet, PATH: path }, maxRounds, isPeer: true };
}

function lefthookNative(at) {
  const program = at.peers.native ?? at.peers.bin("lefthook");
  return peer(at, ["lefthook", "lefthook (native)"], { argv: [program, "run", "pre-commit", "--force"] });
}

function lefthookFiles(commands, extra) {
  const lines = commands.map(
    (run, index) => `    gate${index}:\n      run: ${JSON.stringify(run)}\n${extra}`,
  );
  return { "lefthook.yml": `pre-commit:\n  parallel: true\n  commands:\n${lines.join("")}` };
}

function preCommitFiles(commands, files) {
  const hooks = commands.map((entry, index) => ({
    id: `gate${index}`,
    name: `gate${index}`,
    entry: `sh -c ${JSON.stringify(entry)}`,
    language: "system",
    files,
    pass_filenames: false,
  }));
  return { ".pre-commit-config.yaml": JSON.stringify({ repos: [{ repo: "local", hooks }] }) };
}

/** For wireit and turbo, which run the scripts of a package. */
function scriptFiles(commands) {
  const gates = commands.map((command, index) => [`gate${index}`, command]);
  const wireit = Object.fromEntries(gates.map(([name, command]) => [`wireit:${name}`, { command }]));
  const manifest = {
    name: "bench",
    private: true,
    packageManager: "npm@10.0.0",
    scripts: {
      ...Object.fromEntries(gates),
      ...Object.fromEntries(Object.keys(wireit).map((name) => [name, "wireit"])),
      every: "wireit",
    },
    wireit: { ...wireit, every: { dependencies: Object.keys(wireit) } },
  };
  return {
    "package.json": `${JSON.stringify(manifest, null, 2)}\n`,
    "package-lock.json": '{"name":"bench","lockfileVersion":3,"packages":{}}\n',
    "turbo.json": JSON.stringify({ tasks: Object.fromEntries(gates.map(([name]) => [name, {}])) }),
  };
}
