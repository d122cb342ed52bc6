/** The report as the tables of docs/PERFORMANCE.md. */
export function asMarkdown({ date, node, git, system, newFileUs, peers, skippedPeers, groups }) {
  const versions = Object.entries(peers).map(([name, version]) => `${name} ${version}`);
  return [
    `${date.slice(0, 16).replace("T", " ")} UTC · Node ${node} · git ${git} · ${system} · a new file: ${Math.round(newFileUs)} µs`,
    ...(versions.length > 0 ? [versions.join(" · ")] : []),
    ...skippedPeers.map(({ name, reason }) => `Left out: ${name}: ${reason}`),
    ...groups.flatMap(groupLines),
  ].join("\n");
}

function groupLines({ title, rounds, load, floor, rows }) {
  const hasMemory = rows.some(({ peakMb }) => peakMb !== undefined);
  const memoryHead = hasMemory ? " peak MB |" : "";
  return [
    "",
    `### ${title}`,
    `Medians of ${rounds} rounds; load ${load.map((one) => one.toFixed(1)).join(" → ")}; floor \`${floor.name}\`: ${round(floor.ms)} ms (least ${round(floor.minMs)}, processor ${round(floor.cpuMs)}).`,
    "",
    `| | ms | × floor | least × least | processor × floor | target |${memoryHead} |`,
    `|---|---:|---:|---:|---:|---:|${hasMemory ? "---:|" : ""}---|`,
    ...rows.map((one) => rowLine(one, hasMemory)),
  ];
}

function rowLine(row, hasMemory) {
  const { name, isPeer, ms, ratio, minRatio, cpuRatio, target, peakMb, targetMb, passes } = row;
  const limit =
    target === undefined ? "" : `≤ ${target}${targetMb === undefined ? "" : `, ≤ ${targetMb} MB`}`;
  const cells = [isPeer ? `*${name}*` : name, round(ms), ratio.toFixed(2), minRatio.toFixed(2)];
  cells.push(Number.isFinite(cpuRatio) ? cpuRatio.toFixed(2) : "–", limit);
  if (hasMemory) cells.push(peakMb === undefined ? "" : round(peakMb));
  cells.push(passes === undefined ? "" : passes ? "pass" : "**miss**");
  return `| ${cells.join(" | ")} |`;
}

function round(number) {
  if (!Number.isFinite(number)) return "–";
  if (number < 1) return number.toFixed(2);
  return number < 100 ? number.toFixed(1) : String(Math.round(number));
}
