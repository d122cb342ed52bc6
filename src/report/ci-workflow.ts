/** What a workflow is made for. */
export interface WorkflowFacts {
  /** Of this program. */
  readonly version: string;
  /** Without the name of a remote. */
  readonly mainBranch: string;
  readonly logDir: string;
  /** What installs the project's dependencies, where that is known. */
  readonly install?: string | undefined;
  /** The file of allowed signers, where attestations shall count. */
  readonly allowedSigners?: string | undefined;
}

/**
 * A workflow for GitHub Actions: plan, a job for each gate that is not proven, one check that sums up. What comes from a change reaches
 * shells only through variables. The head of a pull request is checked out, not the trial merge: proofs are about the head's files.
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
  GAUNTLET: npx --yes agent-gauntlet@${version}
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
