import { useMemo } from "preact/hooks";
import { counted } from "../../../words.ts";
import { type Chain, chainsOf, endOf, meaningOf } from "../aggregate.ts";
import type { ViewProps } from "./dashboard.tsx";
import { Mark, Section, Time, VirtualList } from "./parts.tsx";
import { ROW_HEIGHT, StopLine, TONES } from "./stops.tsx";

export function Sessions({ rows, projectName }: ViewProps) {
  const chains = useMemo(() => chainsOf(rows), [rows]);
  return (
    <Section title="Sessions" id="sessions">
      <p class="facts">{counted(chains.length, "session")}; each mark is one stop, the first one first.</p>
      <VirtualList
        label="All sessions"
        items={chains}
        rowHeight={ROW_HEIGHT}
        rowsShown={12}
        row={(chain) => <ChainLine chain={chain} projectName={projectName} />}
      />
    </Section>
  );
}

const MOST_MARKS = 12;

interface ChainLineProps {
  readonly chain: Chain;
  readonly projectName: (key: string) => string;
}

export function ChainLine({ chain, projectName }: ChainLineProps) {
  const { key, project, session, host, rows, lastAt } = chain;
  const { words, meaning } = endOf(chain);
  const cut = rows.slice(-MOST_MARKS);
  return (
    <a class="stop chain" href={`#/session/${encodeURIComponent(key)}`}>
      <span class="what">
        <Mark tone={TONES[meaning]} /> {words}
      </span>
      <span class="marks">
        {cut.length < rows.length ? "… " : ""}
        {cut.map((row) => (
          <Mark key={row.at} tone={TONES[meaningOf(row)]} />
        ))}
      </span>
      <span class="who">{[projectName(project), host, session.slice(0, 8)].filter(Boolean).join(" · ")}</span>
      <span class="when">
        <Time at={lastAt} />
      </span>
    </a>
  );
}

export function SessionView({ state, projectName, chainKey }: ViewProps & { readonly chainKey: string }) {
  const chain = useMemo(
    () => chainsOf(state.rows).find(({ key }) => key === chainKey),
    [state.rows, chainKey],
  );
  if (chain === undefined) return <p>This session is not in the ledger.</p>;
  return (
    <Section title={`Session ${chain.session}`} id="session">
      <p class="facts">
        {projectName(chain.project)} · {chain.host ?? "unknown agent"} · {endOf(chain).words}
      </p>
      <VirtualList
        label="Stops of this session"
        items={chain.rows}
        rowHeight={ROW_HEIGHT}
        rowsShown={12}
        row={(row) => <StopLine row={row} />}
      />
    </Section>
  );
}
