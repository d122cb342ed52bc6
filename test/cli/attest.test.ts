import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { outputSchema } from "../schema/json-schema.ts";
import { cleanEnv, type Finished, GauntletProject, run } from "../rig/gauntlet-project.ts";

/** What DSSE puts before a payload that is signed. */
const PAYLOAD_TYPE = "application/vnd.in-toto+json";

/** A machine with a project that passed, was committed and pushed, and whose user has an SSH key. */
class Author implements AsyncDisposable {
  readonly repo: GauntletProject;

  private constructor(repo: GauntletProject) {
    this.repo = repo;
  }

  static async create(files: Readonly<Record<string, string>> = {}): Promise<Author> {
    const repo = await GauntletProject.withChecks({ test: "true", lint: "true" }, files);
    const author = new Author(repo);
    await author.makeKey("alice");
    await repo.git("config", "user.signingkey", join(repo.home, "alice"));
    await repo.git("init", "--quiet", "--bare", "--initial-branch=main", "../remote.git");
    await repo.git("remote", "add", "origin", "../remote.git");
    await author.pass("a.txt");
    return author;
  }

  async makeKey(name: string): Promise<void> {
    const args = ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", join(this.repo.home, name)];
    const made = await run(["ssh-keygen", ...args], { cwd: this.repo.root, env: cleanEnv(this.repo.home) });
    expect(made.exitCode).toBe(0);
  }

  /** Adds a file, lets the gates pass, commits and pushes. */
  async pass(file: string): Promise<void> {
    await this.repo.write({ [file]: file });
    await this.repo.stop();
    await this.repo.commit(file);
    await this.repo.git("push", "--quiet", "origin", "main");
  }

  /** What another machine has: a clone, the notes, and a file with public keys. Nothing of this one's state. */
  async clone(): Promise<Reader> {
    const { repo } = this;
    await repo.git("push", "--quiet", "origin", "refs/notes/gauntlet").catch(() => ""); // there may be none
    const name = `clone-${Math.random().toString(36).slice(2)}`;
    await repo.git("clone", "--quiet", "../remote.git", `../${name}`);
    const clone = repo.at(`../${name}`);
    await clone.git("fetch", "--quiet", "origin", "refs/notes/*:refs/notes/*");
    const home = join(repo.home, "..", `home-of-${name}`);
    mkdirSync(home);
    const allowed = join(home, "allowed-signers");
    const verify = (revision = "HEAD"): Promise<Finished> =>
      clone.gauntlet(["verify", revision, "--attested", "--allowed-signers", allowed], {
        env: { HOME: home },
      });
    const allow = (...keys: readonly string[]): void =>
      writeFileSync(
        allowed,
        keys.map((key) => `${key}@example.com namespaces="agent-gauntlet" ${this.publicKey(key)}`).join(""),
      );
    allow("alice");
    return { clone, verify, allow, home };
  }

  publicKey(name: string): string {
    return readFileSync(join(this.repo.home, `${name}.pub`), "utf8");
  }

  /** Signs any payload with any key, as anyone who has the key could. */
  async sign(payload: string, key = "alice", namespace = "agent-gauntlet"): Promise<string> {
    const done = await run(["ssh-keygen", "-Y", "sign", "-n", namespace, "-f", join(this.repo.home, key)], {
      cwd: this.repo.root,
      env: cleanEnv(this.repo.home),
      stdin: `DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${Buffer.byteLength(payload)} ${payload}`,
    });
    expect(done.exitCode).toBe(0);
    return done.stdout;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.repo[Symbol.asyncDispose]();
  }
}

interface Reader {
  readonly clone: GauntletProject;
  readonly home: string;
  readonly verify: (revision?: string) => Promise<Finished>;
  readonly allow: (...keys: readonly string[]) => void;
}

interface Envelope {
  payload: string;
  payloadType: string;
  signatures: { keyid: string; sig: string }[];
}

async function note(repo: GauntletProject, revision = "HEAD"): Promise<Envelope> {
  return JSON.parse(await repo.git("notes", "--ref=gauntlet", "show", revision)) as Envelope;
}

async function putNote(repo: GauntletProject, text: string, revision = "HEAD"): Promise<void> {
  await repo.write({ "../note": text });
  await repo.git("notes", "--ref=gauntlet", "add", "--force", "--file=../note", revision);
}

function payloadOf({ payload }: Envelope): string {
  return Buffer.from(payload, "base64").toString();
}

function withPayload(envelope: Envelope, payload: string): string {
  return JSON.stringify({ ...envelope, payload: Buffer.from(payload).toString("base64") });
}

test("a verdict made on one clone is verified on another with only the public key", async () => {
  await using author = await Author.create();
  const attested = await author.repo.gauntlet(["attest"]);
  const there = await author.clone();

  const verified = await there.verify();
  const byLedger = await there.clone.gauntlet(["verify", "HEAD"], { env: { HOME: there.home } });

  expect(attested).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("git push origin refs/notes/gauntlet"),
  });
  expect(verified).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/attested by alice@example\.com \(SHA256:/),
  });
  expect(byLedger.exitCode).toBe(1);
});

test("the statement is in-toto's test result, with the commit, the tree, the gates and each one's name", async () => {
  await using author = await Author.create();
  const done = outputSchema().parse(await author.repo.json(["attest"]));
  const [commit, tree] = (await author.repo.git("rev-parse", "HEAD", "HEAD^{tree}")).trim().split("\n");

  expect(done).toMatchObject({ command: "attest", commit, tree, ref: "refs/notes/gauntlet" });
  expect(JSON.parse(payloadOf(await note(author.repo)))).toMatchObject({
    _type: "https://in-toto.io/Statement/v1",
    subject: [
      { name: "commit", digest: { gitCommit: commit } },
      { name: "tree", digest: { gitTree: tree } },
    ],
    predicateType: "https://in-toto.io/attestation/test-result/v0.1",
    predicate: { result: "PASSED", passedTests: ["check:.:lint", "check:.:test"], failedTests: [] },
  });
});

describe("an attestation is refused", () => {
  let author: Author;
  let there: Reader;
  let later: string;
  beforeAll(async () => {
    author = await Author.create();
    await author.makeKey("mallory");
    await author.repo.gauntlet(["attest"]);
    const first = await note(author.repo);
    await author.pass("b.txt");
    await author.repo.gauntlet(["attest"]);
    later = JSON.stringify(await note(author.repo));
    await putNote(author.repo, JSON.stringify(first), "HEAD~1");
    there = await author.clone();
    return () => author[Symbol.asyncDispose]();
  });

  /** What another clone says when this note has arrived there for HEAD. */
  async function verifiedWith(text: string): Promise<Finished> {
    await putNote(there.clone, text);
    return there.verify();
  }

  const CHANGED: readonly (readonly [string, RegExp, string])[] = [
    ["outcome", /"result":"PASSED"/, '"result":"WARNED"'],
    ["tree", /"gitTree":"\w{4}/, '"gitTree":"abcd'],
    ["commit", /"gitCommit":"\w{4}/, '"gitCommit":"abcd'],
    ["gate set", /"sha256":"\w{4}/, '"sha256":"abcd'],
    ["list of gates", /"check:\.:lint",/, ""],
    ["count", /"gates":2/, '"gates":3'],
    ["time", /"judgedAt":"\d{4}/, '"judgedAt":"2025'],
    ["version", /"version":"[^"]*"/, '"version":"9.9.9"'],
    ["signer", /"signer":"SHA256:..../, '"signer":"SHA256:AAAA'],
  ];
  test.for(CHANGED)("with a changed %s", async ([, from, to]) => {
    const envelope = JSON.parse(later) as Envelope;
    const changed = payloadOf(envelope).replace(from, to);

    const verified = await verifiedWith(withPayload(envelope, changed));

    expect(changed).not.toBe(payloadOf(envelope));
    expect(verified).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("no allowed signer signed exactly this"),
    });
  });

  const RESIGNED: readonly (readonly [string, RegExp, string, string])[] = [
    ["another commit", /"gitCommit":"\w{4}/, '"gitCommit":"abcd', "it is about another commit"],
    ["another tree", /"gitTree":"\w{4}/, '"gitTree":"abcd', "it is about other files"],
    ["gates that are others now", /"sha256":"\w{4}/, '"sha256":"abcd', "the gates are others now"],
    ["another project", /"project":"\."/, '"project":"lib"', "another project"],
    ["a count that is wrong", /"gates":2/, '"gates":3', "its gates do not add up"],
    ["a time in the future", /"judgedAt":"\d{4}/, '"judgedAt":"2999', "it is dated in the future"],
    ["somebody else's key", /"signer":"SHA256:..../, '"signer":"SHA256:AAAA', "it names another signer"],
    ["a baseline below it", /"rests":\[\]/, '"rests":["baseline"]', "it rests on a baseline"],
    ["a rerun below it", /"rests":\[\]/, '"rests":["reuse","rerun"]', "it rests on a rerun"],
    [
      "a failed gate",
      /"failedTests":\[\]/,
      '"failedTests":["check:.:x"]',
      "its statement is not one of ours",
    ],
    ["another predicate", /test-result/, "vulns", "its statement is not one of ours"],
    [
      "a key twice",
      /"result":"PASSED"/,
      '"result":"FAILED","result":"PASSED"',
      "its statement is not one of ours",
    ],
    ["a second statement after it", /$/, '{"_type":"x"}', "its statement is not one of ours"],
    ["a field more", /"failedTests":\[\]/, '"failedTests":[],"more":1', "its statement is not one of ours"],
  ];
  test.for(RESIGNED)("that names %s, although the key is right", async ([, from, to, reason]) => {
    const envelope = JSON.parse(later) as Envelope;
    const payload = payloadOf(envelope).replace(from, to);
    const sig = Buffer.from(await author.sign(payload)).toString("base64");
    const [{ keyid } = { keyid: "" }] = envelope.signatures;

    const verified = await verifiedWith(withPayload({ ...envelope, signatures: [{ keyid, sig }] }, payload));

    expect(verified).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(reason) });
  });

  test("of another key, also one that names the right one", async () => {
    const envelope = JSON.parse(later) as Envelope;
    const sig = Buffer.from(await author.sign(payloadOf(envelope), "mallory")).toString("base64");
    const [{ keyid } = { keyid: "" }] = envelope.signatures;

    expect(await verifiedWith(JSON.stringify({ ...envelope, signatures: [{ keyid, sig }] }))).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("no allowed signer signed exactly this"),
    });
  });

  test("whose signature was made for something else", async () => {
    const envelope = JSON.parse(later) as Envelope;
    const sig = Buffer.from(await author.sign(payloadOf(envelope), "alice", "git")).toString("base64");
    const [{ keyid } = { keyid: "" }] = envelope.signatures;

    expect(await verifiedWith(JSON.stringify({ ...envelope, signatures: [{ keyid, sig }] }))).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("no allowed signer signed exactly this"),
    });
  });

  const FORGED: readonly (readonly [string, (envelope: Envelope, earlier: Envelope) => string, string])[] = [
    ["unsigned", (envelope) => JSON.stringify({ ...envelope, signatures: [] }), "it is not signed"],
    [
      "cut in the middle",
      (envelope) => JSON.stringify(envelope).slice(0, 400),
      "it is not an envelope of ours, or it is cut",
    ],
    [
      "with a cut payload",
      (e) => JSON.stringify({ ...e, payload: e.payload.slice(0, -8) }),
      "no allowed signer",
    ],
    [
      "with a cut signature",
      (e) =>
        JSON.stringify({ ...e, signatures: e.signatures.map((s) => ({ ...s, sig: s.sig.slice(0, 40) })) }),
      "no allowed signer",
    ],
    ["replayed for a later tree", (_, earlier) => JSON.stringify(earlier), "it is about another commit"],
    [
      "with payload and signature swapped",
      (e) =>
        JSON.stringify({
          ...e,
          payload: e.signatures[0]?.sig,
          signatures: [{ keyid: e.signatures[0]?.keyid, sig: e.payload }],
        }),
      "no allowed signer",
    ],
    [
      "with the signature of another",
      (e, earlier) => JSON.stringify({ ...e, signatures: earlier.signatures }),
      "no allowed signer",
    ],
    [
      "merged of two, with both signatures",
      (e, earlier) => JSON.stringify({ ...e, signatures: [...e.signatures, ...earlier.signatures] }),
      "it has more than one signature",
    ],
    [
      "merged of two, with both statements",
      (e, earlier) => withPayload(e, payloadOf(e) + payloadOf(earlier)),
      "no allowed signer",
    ],
    [
      "with another key's name",
      (e) => JSON.stringify({ ...e, signatures: e.signatures.map((s) => ({ ...s, keyid: "SHA256:other" })) }),
      "it names another key",
    ],
    [
      "of another kind",
      (e) => JSON.stringify({ ...e, payloadType: "text/plain" }),
      "it is not an envelope of ours",
    ],
  ];
  test.for(FORGED)("%s", async ([, forge, reason]) => {
    const earlier = await note(author.repo, "HEAD~1");

    const verified = await verifiedWith(forge(JSON.parse(later) as Envelope, earlier));

    expect(verified).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(reason) });
  });

  test("of another repository, even one with the same files", async () => {
    await using other = await Author.create({ "b.txt": "b.txt" });
    await other.repo.git("config", "user.signingkey", join(author.repo.home, "alice"));
    await other.repo.git("commit", "--quiet", "--amend", "--message", "another history");
    expect(await other.repo.gauntlet(["attest"])).toMatchObject({ exitCode: 0 });

    const verified = await verifiedWith(JSON.stringify(await note(other.repo)));

    expect(await other.repo.git("rev-parse", "HEAD^{tree}")).toBe(
      await author.repo.git("rev-parse", "HEAD^{tree}"),
    );
    expect(verified).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("it is about another commit"),
    });
  });

  test("that does not exist, or whose signer is not allowed (any more)", async () => {
    const another = await author.clone();

    const allowed = await another.verify();
    another.allow("mallory");
    const notAllowed = await another.verify();
    another.allow();
    const nobody = await another.verify();
    const none = await another.verify("HEAD~2");

    expect([allowed, notAllowed, nobody, none].map(({ exitCode }) => exitCode)).toEqual([0, 1, 1, 1]);
    expect(none.stderr).toContain("there is no attestation for it");
  });

  test("but a good one next to it counts", async () => {
    const earlier = JSON.stringify(await note(author.repo, "HEAD~1"));

    expect(await verifiedWith(`${earlier}\n${later}`)).toMatchObject({ exitCode: 0 });
  });
});

test("what a build server attests speaks for the gates that run there", async () => {
  await using author = await Author.create();
  const { repo } = author;
  rmSync(join(repo.home, ".local/state/agent-gauntlet/sessions"), { recursive: true }); // no agent was ever there
  const gates =
    "base_branch: main~1\nchecks:\n  lint: 'true'\n  unit: { command: 'false', run_in_ci: false }\n";
  await repo.write({ ".gauntlet/config.yml": gates, "part.txt": "" });
  await repo.commit("part");
  await repo.git("push", "--quiet", "origin", "main");
  const env = { CI: "1" };
  const run = await repo.gauntlet(["run"], { env });
  const attested = await repo.gauntlet(["attest"], { env });
  const { clone, home } = await author.clone();
  const verify = ["verify", "HEAD", "--attested", "--allowed-signers", join(home, "allowed-signers")];

  const inCi = await clone.gauntlet(verify, { env: { HOME: home, ...env } });
  const elsewhere = await clone.gauntlet(verify, { env: { HOME: home } });

  expect([run.exitCode, attested.exitCode, inCi.exitCode]).toEqual([0, 0, 0]);
  expect(elsewhere).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("it speaks only for a part of the gates (ci)"),
  });
});

test("there is nothing to sign without a pass", async () => {
  await using author = await Author.create();
  await author.repo.write({ "c.txt": "" });
  await author.repo.commit("not judged");

  expect(await author.repo.gauntlet(["attest"])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("no verdict is recorded"),
  });
  expect(outputSchema().parse(await author.repo.json(["attest"]))).toMatchObject({
    command: "attest",
    status: "error",
  });
});

test("an attestation is stale once the gates have changed, where they are not part of the commit", async () => {
  await using author = await Author.create({ ".gitignore": ".gauntlet\n" });
  await author.repo.gauntlet(["attest"]);
  const there = await author.clone();
  const gates = author.repo.read(".gauntlet/config.yml");
  await there.clone.write({ ".gauntlet/config.yml": gates });
  const same = await there.verify();
  await there.clone.write({ ".gauntlet/config.yml": gates.replace("lint", "style") });
  const stale = await there.verify();

  expect(same).toMatchObject({ exitCode: 0 });
  expect(stale).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("the gates are others now") });
});

test("without a key it says which setting names one; with one git cannot use it says so", async () => {
  await using author = await Author.create();
  await author.repo.git("config", "--unset", "user.signingkey");
  const unset = await author.repo.gauntlet(["attest"]);
  await author.repo.git("config", "user.signingkey", "ABCD1234");
  const gpg = await author.repo.gauntlet(["attest"]);

  expect(unset).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("git config user.signingkey") });
  expect(gpg).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("ssh-keygen") });
});

test("--attested wants to know whose signatures count", async () => {
  await using author = await Author.create();

  const unnamed = await author.repo.gauntlet(["verify", "--attested"]);
  const missing = await author.repo.gauntlet(["verify", "--attested", "--allowed-signers", "nowhere"]);

  expect(unnamed).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("--allowed-signers FILE") });
  expect(missing).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("There is no file nowhere."),
  });
});
