import { PACKAGE } from "../../package-name.ts";
import type { PlannedGate } from "../../gates/gate.ts";

export interface CiPlan {
  readonly commit: string | null;
  readonly tree: string | null;
  readonly comparedTo: string;
  readonly baseCommit: string | null;
  /** What `run --base` needs to see the same changes; null if it finds them itself. */
  readonly base: string | null;
  readonly gates: readonly PlannedGate[];
  readonly proven: readonly ProvenGate[];
  readonly skipped: readonly { readonly id: string; readonly reason: string }[];
  readonly notes: readonly string[];
}

export interface ProvenGate {
  readonly id: string;
  readonly proof: string;
}

export interface MatrixEntry {
  readonly name: string;
  readonly gates: string;
}

/** GitHub Actions takes no larger matrix. */
const MAX_JOBS = 256;

/** A job for each gate; gates that depend on order share one, and above the limit jobs share gates evenly. */
export function matrixOf(gates: readonly PlannedGate[]): readonly MatrixEntry[] {
  const needed = new Set(gates.flatMap(({ gate }) => gate.needs ?? []));
  const isApart = ({ gate }: PlannedGate): boolean =>
    gate.parallel && gate.needs === undefined && !needed.has(gate.name);
  const inTurn = gates.filter((planned) => !isApart(planned));
  const apart = gates.filter(isApart);
  const rooms = MAX_JOBS - (inTurn.length > 0 ? 1 : 0);
  const groups = [...(inTurn.length > 0 ? [inTurn] : []), ...evenly(apart, rooms)];
  return groups.map((group) => ({ name: nameOf(group), gates: group.map(({ id }) => id).join("\n") }));
}

function evenly<T>(items: readonly T[], rooms: number): readonly (readonly T[])[] {
  const count = Math.min(items.length, rooms);
  return Array.from({ length: count }, (_, room) => items.filter((_item, at) => at % count === room));
}

function nameOf(group: readonly PlannedGate[]): string {
  const [first] = group;
  if (first === undefined) return "";
  const name = first.scope === "." ? first.gate.name : `${first.gate.name} (${first.scope})`;
  return group.length === 1 ? name : `${name} and ${group.length - 1} more`;
}

export interface WorkflowFacts {
  readonly version: string;
  readonly mainBranch: string;
  readonly logDir: string;
  readonly install?: string | undefined;
  readonly allowedSigners?: string | undefined;
}

/**
 * Values from a change reach shells only through variables. Checks out the head of a pull request, not the trial merge: proofs
 * are about the head's files.
 */
export function githubWorkflow(facts: WorkflowFacts): string {
  return `${headOf(facts)}jobs:\n${planJob(facts)}${gatesJob(facts)}${SUM_UP}`;
}

function headOf({ mainBranch, version }: WorkflowFacts): string {
  return `# Written by \`agent-gauntlet ci init\`. Change it as you like: it is yours.
name: gauntlet
on:
  pull_request:
  push:
    branches: [${JSON.stringify(mainBranch)}]
permissions:
  contents: read
concurrency:
  group: gauntlet-\${{ github.ref }}
  cancel-in-progress: \${{ github.event_name == 'pull_request' }}
env:
  GAUNTLET: npx --yes ${PACKAGE}@${version}
  GAUNTLET_CACHE_AUTH: \${{ secrets.GAUNTLET_CACHE_AUTH }}
`;
}

const CHECKOUT = `      - uses: actions/checkout@v4
        with:
          ref: \${{ github.event.pull_request.head.sha || github.sha }}
          fetch-depth: 0
          persist-credentials: false
      - uses: actions/setup-node@v4
        with:
          node-version: 20
`;

const FETCH_NOTES = `      - name: Fetch attestations
        run: git fetch origin refs/notes/gauntlet:refs/notes/gauntlet || echo "there are no attestations yet"
`;

function planJob({ allowedSigners }: WorkflowFacts): string {
  const flag =
    allowedSigners === undefined ? "" : ` --allowed-signers '${allowedSigners.replaceAll("'", "")}'`;
  return `  plan:
    name: gauntlet plan
    runs-on: ubuntu-latest
    outputs:
      matrix: \${{ steps.plan.outputs.matrix }}
      count: \${{ steps.plan.outputs.count }}
      base: \${{ steps.plan.outputs.base }}
    steps:
${CHECKOUT}${flag === "" ? "" : FETCH_NOTES}      - id: plan
        name: Find the gates that are not proven
        env:
          BASE: \${{ github.event_name == 'push' && github.event.before || '' }}
        run: $GAUNTLET ci plan --base "$BASE"${flag}
`;
}

const NO_INSTALL = "      # Install here what the gates need: dependencies, services.\n";

function gatesJob({ install, logDir }: WorkflowFacts): string {
  return `  gates:
    needs: plan
    if: needs.plan.outputs.count != '0'
    name: \${{ matrix.name }}
    runs-on: ubuntu-latest
    permissions:
      contents: read
      security-events: write
    strategy:
      fail-fast: false
      matrix: \${{ fromJSON(needs.plan.outputs.matrix) }}
    steps:
${CHECKOUT}${install === undefined ? NO_INSTALL : `      - run: ${install}\n`}      - name: Run the gates
        env:
          GATES: \${{ matrix.gates }}
          BASE: \${{ needs.plan.outputs.base }}
          GAUNTLET_SIGNING_KEY: \${{ secrets.GAUNTLET_SIGNING_KEY }}
        run: |
          set --
          while IFS= read -r gate; do set -- "$@" --gate "$gate"; done <<END
          $GATES
          END
          if [ -n "$BASE" ]; then set -- "$@" --base "$BASE"; fi
          reports="$RUNNER_TEMP/gauntlet"
          $GAUNTLET run --no-cache --report "html=$reports/gauntlet.html,sarif=$reports/gauntlet.sarif,junit=$reports/gauntlet.xml" "$@"
${KEEP_REPORTS}            ${logDir}
          if-no-files-found: ignore
`;
}

const KEEP_REPORTS = `      - name: Show the problems in the code
        if: always()
        continue-on-error: true # needs code scanning
        uses: github/codeql-action/upload-sarif@v3
        with:
          sarif_file: \${{ runner.temp }}/gauntlet/gauntlet.sarif
          category: gauntlet \${{ matrix.name }}
      - name: Keep reports and logs
        if: always()
        uses: actions/upload-artifact@v4
        with:
          name: gauntlet-\${{ strategy.job-index }}
          path: |
            \${{ runner.temp }}/gauntlet
`;

const SUM_UP = `  gauntlet:
    needs: [plan, gates]
    if: always()
    runs-on: ubuntu-latest
    steps:
      - name: Sum up
        env:
          PLAN: \${{ needs.plan.result }}
          GATES: \${{ needs.gates.result }}
          COUNT: \${{ needs.plan.outputs.count }}
        run: |
          echo "plan: $PLAN, gates: $GATES ($COUNT jobs)"
          test "$PLAN" = success
          if [ "$COUNT" = 0 ]; then test "$GATES" = skipped; else test "$GATES" = success; fi
`;
