import { parseJson } from "../../json.ts";
import * as z from "zod/mini";
import { partOf } from "../../config/settings.ts";
import type { RecordedOutcome, Support, VerdictRecord } from "../../ledger/verdict-record.ts";

const PAYLOAD_TYPE = "application/vnd.in-toto+json";
const STATEMENT = "https://in-toto.io/Statement/v1";
const TEST_RESULT = "https://in-toto.io/attestation/test-result/v0.1";

const hex = z.string().check(z.regex(/^[\da-f]{40,64}$/));
const names = z.array(z.string());

/** An in-toto statement with a test-result predicate. Everything else is refused. */
const statementSchema = z.strictObject({
  _type: z.literal(STATEMENT),
  subject: z.tuple([
    z.strictObject({ name: z.literal("commit"), digest: z.strictObject({ gitCommit: hex }) }),
    z.strictObject({ name: z.literal("tree"), digest: z.strictObject({ gitTree: hex }) }),
  ]),
  predicateType: z.literal(TEST_RESULT),
  predicate: z.strictObject({
    result: z.enum(["PASSED", "WARNED"]),
    configuration: z.tuple([
      z.strictObject({
        name: z.literal(".gauntlet"),
        digest: z.strictObject({ sha256: hex }),
        annotations: z.strictObject({
          project: z.string(),
          part: z.nullable(z.string()),
          gates: z.int(),
          base: z.nullable(hex),
          judgedAt: z.iso.datetime(),
          rests: z.array(z.enum(["reuse", "baseline", "rerun", "worker"])),
          version: z.string(),
          signer: z.string(),
        }),
      }),
    ]),
    passedTests: names,
    warnedTests: names,
    failedTests: z.tuple([]),
  }),
});

type Statement = z.infer<typeof statementSchema>;

const envelopeSchema = z.strictObject({
  payload: z.string(),
  payloadType: z.literal(PAYLOAD_TYPE),
  signatures: z.array(z.strictObject({ keyid: z.string(), sig: z.string() })),
});

export interface Attested {
  readonly commit: string;
  readonly tree: string;
  readonly gates: string;
  readonly project: string;
}

export function statementText(record: VerdictRecord, about: Attested, signer: string): string {
  const outcomes = record.outcomes ?? [];
  const rests: Support[] = [...(record.rests ?? [])];
  const { part } = partOf(record.gates ?? "");
  return JSON.stringify({
    _type: STATEMENT,
    subject: [
      { name: "commit", digest: { gitCommit: about.commit } },
      { name: "tree", digest: { gitTree: about.tree } },
    ],
    predicateType: TEST_RESULT,
    predicate: {
      result: record.status === "passed" ? "PASSED" : "WARNED",
      configuration: [
        {
          name: ".gauntlet",
          digest: { sha256: partOf(about.gates).all },
          annotations: {
            project: about.project,
            part: part ?? null,
            gates: outcomes.length,
            base: record.base ?? null,
            judgedAt: new Date(record.at).toISOString(),
            rests,
            version: record.version,
            signer,
          },
        },
      ],
      passedTests: idsOf(outcomes.filter(({ warns }) => !warns)),
      warnedTests: idsOf(outcomes.filter(({ warns }) => warns)),
      failedTests: [],
    },
  } satisfies Statement);
}

function idsOf(outcomes: readonly RecordedOutcome[]): string[] {
  return outcomes.map(({ id }) => id).toSorted();
}

/** DSSE's pre-authentication encoding: a signature of anything else never fits. */
export function signedText(payload: string): string {
  return ["DSSEv1", PAYLOAD_TYPE.length, PAYLOAD_TYPE, Buffer.byteLength(payload), payload].join(" ");
}

export function envelopeLine(
  payload: string,
  { signature, keyid }: { signature: string; keyid: string },
): string {
  const signatures = [{ keyid, sig: base64(signature) }];
  return JSON.stringify({ payload: base64(payload), payloadType: PAYLOAD_TYPE, signatures });
}

export interface Envelope {
  readonly payload: string;
  readonly signature: string;
  readonly keyid: string;
}

export function readEnvelope(line: string): Envelope | string {
  const envelope = envelopeSchema.safeParse(parseJson(line)).data;
  if (envelope === undefined) return "it is not an envelope of ours, or it is cut";
  const [signed, ...more] = envelope.signatures;
  if (signed === undefined) return "it is not signed";
  if (more.length > 0) return "it has more than one signature";
  const [payload, signature] = [envelope.payload, signed.sig].map(fromBase64);
  if (payload === undefined || signature === undefined) return "it is cut";
  return { payload, signature, keyid: signed.keyid };
}

/** Why a correctly signed statement is not about this; undefined if it is. With `eachGate` it need not name all gates. */
export function whyNotAttested(
  payload: string,
  about: Attested & {
    readonly eachGate?: boolean | undefined;
    readonly signer: string;
    readonly now: number;
  },
): string | undefined {
  const statement = statementSchema.safeParse(parseJson(payload)).data;
  if (statement === undefined || JSON.stringify(statement) !== payload)
    return "its statement is not one of ours";
  const [commit, tree] = statement.subject;
  const { passedTests, warnedTests, configuration } = statement.predicate;
  const [{ digest, annotations }] = configuration;
  const { all, part } = partOf(about.gates);
  const isOfOtherPart = annotations.part !== null && annotations.part !== part;
  const weak = annotations.rests.find((one) => one !== "reuse");
  const reasons: readonly (string | false | undefined)[] = [
    commit.digest.gitCommit !== about.commit && "it is about another commit",
    tree.digest.gitTree !== about.tree && "it is about other files",
    annotations.project !== about.project && "it is about another project of the repository",
    digest.sha256 !== all && "the gates are others now",
    isOfOtherPart &&
      about.eachGate !== true &&
      `it speaks only for a part of the gates (${annotations.part})`,
    annotations.signer !== about.signer && "it names another signer than the one who signed it",
    Date.parse(annotations.judgedAt) > about.now + CLOCK_SLACK_MS && "it is dated in the future",
    passedTests.length + warnedTests.length !== annotations.gates && "its gates do not add up",
    annotations.gates === 0 && "no gate ran",
    weak !== undefined && `it rests on a ${weak}`,
  ];
  return reasons.find((reason) => typeof reason === "string");
}

export function passedIn(payload: string): readonly string[] {
  return statementSchema.safeParse(parseJson(payload)).data?.predicate.passedTests ?? [];
}

const CLOCK_SLACK_MS = 5 * 60_000;

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

/** Strict: Buffer also decodes altered input. */
function fromBase64(text: string): string | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes.toString("utf8") : undefined;
}
