const COLUMNS = 92;
const LINE = 20;
const CHAR = 8.43;
const FILLS = { red: "#ff9d94", green: "#7ee787", dim: "#9aa4b2" };

/** Lines of a terminal as an SVG. Spaces are non-breaking ones: browsers collapse others, whatever `xml:space` says. */
export function drawTerminal(lines) {
  const height = lines.length * LINE + 50;
  const width = Math.round(COLUMNS * CHAR + 32);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<rect width="100%" height="100%" rx="8" fill="#0d1117"/>`,
    ...["#ff5f56", "#ffbd2e", "#27c93f"].map(
      (fill, at) => `<circle cx="${20 + at * 18}" cy="18" r="6" fill="${fill}"/>`,
    ),
    `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14" fill="#e6edf3">`,
    ...lines.map(({ text, colour, bold }, at) => {
      if (text.length > COLUMNS) throw new Error(`longer than ${COLUMNS} columns: ${text}`);
      const fill = colour === undefined ? "" : ` fill="${FILLS[colour]}"`;
      return `<text x="16" y="${50 + at * LINE}"${fill}${bold ? ' font-weight="bold"' : ""}>${escape(text)}</text>`;
    }),
    "</g></svg>",
    "",
  ].join("\n");
}

function escape(text) {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll(" ", "\u00A0");
}
