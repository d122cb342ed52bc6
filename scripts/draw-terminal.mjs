// Draws what a command really prints on a terminal as an SVG: node scripts/draw-terminal.mjs OUT.svg COMMAND…
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";

const [out, ...command] = process.argv.slice(2);
const COLUMNS = 122;
const LINE = 18;
const CHAR = 8.4;
const COLOURS = { 31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 36: "#79c0ff", 2: "#8b949e" };

const typed = spawnSync("script", ["-qec", `stty cols ${COLUMNS}; ${command.join(" ")}`, "/dev/null"], {
  encoding: "utf8",
  env: { ...process.env, TERM: "xterm-256color", CI: "", NO_COLOR: "" },
});
const lines = [`$ ${command.join(" ")}`, ...typed.stdout.replaceAll("\r", "").trimEnd().split("\n")].flatMap(
  wrap,
);
const height = lines.length * LINE + 48;
const width = Math.round(COLUMNS * CHAR + 32);
writeFileSync(
  out,
  [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<rect width="100%" height="100%" rx="8" fill="#0d1117"/>`,
    ...["#ff5f56", "#ffbd2e", "#27c93f"].map(
      (fill, i) => `<circle cx="${20 + i * 18}" cy="18" r="6" fill="${fill}"/>`,
    ),
    `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14" fill="#e6edf3" xml:space="preserve">`,
    ...lines.map((line, i) => `<text x="16" y="${48 + i * LINE}">${spans(line)}</text>`),
    "</g></svg>",
    "",
  ].join("\n"),
);

/** Long lines go on below, as they do on a terminal; colours are only ever on short ones here. */
function wrap(line) {
  // eslint-disable-next-line no-control-regex
  const bare = line.replaceAll(/\u001b\[[0-9;]*m/g, "");
  if (bare.length <= COLUMNS) return [line];
  const margin = /^[\s│]*/.exec(bare)[0];
  const head = line.slice(0, line.length - bare.length + COLUMNS);
  return [head, ...wrap(margin + line.slice(head.length))];
}

function spans(line) {
  let style = "";
  return line
    .split(/(\u001b\[[0-9;]*m)/)
    .map((part) => {
      const code = /^\u001b\[([0-9;]*)m$/.exec(part)?.[1];
      if (code === undefined) return part === "" ? "" : `<tspan${style}>${escape(part)}</tspan>`;
      style = styleOf(code, style);
      return "";
    })
    .join("");
}

function styleOf(code, before) {
  if (code === "1") return `${before} font-weight="bold"`;
  if (["", "0", "39", "22"].includes(code)) return "";
  return COLOURS[code] === undefined ? before : ` fill="${COLOURS[code]}"`;
}

function escape(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
