const INLINE = 100;

/** JSON as lines that can be read and compared: a line for each field, and texts with line breaks as they are. */
export function renderJson(value: unknown): readonly string[] {
  if (JSON.stringify(value) === "{}") return ["{}"];
  if (Array.isArray(value))
    return value.flatMap((one) => afterDash(isSmall(one) ? [JSON.stringify(one)] : renderJson(one)));
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([name, one]) => renderField(name, one));
  return [JSON.stringify(value)];
}

function renderField(name: string, value: unknown): readonly string[] {
  if (typeof value === "string" && value.includes("\n")) return [`${name}: |`, ...indent(value.split("\n"))];
  if (isSmall(value)) return [`${name}: ${JSON.stringify(value)}`];
  return [`${name}:`, ...indent(renderJson(value))];
}

/** Whether it fits on one line. */
function isSmall(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  const text = JSON.stringify(value);
  return text.length <= INLINE && !text.includes("\\n");
}

function afterDash(lines: readonly string[]): readonly string[] {
  return lines.map((line, index) => `${index === 0 ? "- " : "  "}${line}`.trimEnd());
}

export function indent(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`.trimEnd());
}
