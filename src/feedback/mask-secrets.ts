const MASK = "***";
const SHORTEST_SECRET = 8;

/** A function that hides the values of secret-looking variables, and text with the shape of a common token. */
export function secretMasker(env: Readonly<Record<string, string | undefined>>): (text: string) => string {
  const values = secretValues(env);
  const known = values.length === 0 ? undefined : new RegExp(values.map(escapeForRegExp).join("|"), "g");
  return (text) => {
    const withoutValues = known === undefined ? text : text.replace(known, MASK);
    return maskTokenShapes(withoutValues);
  };
}

const SECRET_NAME =
  /secret|token|passw(?:or)?d|passphrase|passwd|_pass$|^pass$|api_?key|access_?key|private_?key|signing_?key|encryption_?key|credential|auth|cookie|dsn$|connection_?string|webhook|_pat$|_pwd$/i;

/** These hold places, switches and names, not secrets. */
const OPEN_NAME =
  /(?:_sock|_path|_file|_dir|_home|_name|_type|_method|_mode|_enabled|_ttl|_bin|_helper|askpass|xauthority)$/i;

function secretValues(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const values = Object.entries(env)
    .filter(([name, value]) => SECRET_NAME.test(name) && !OPEN_NAME.test(name) && isWorthHiding(value))
    .flatMap(([, value = ""]) => spellings(value.trim()));
  return [...new Set(values)].toSorted((one, other) => other.length - one.length);
}

function isWorthHiding(value: string | undefined): boolean {
  const text = value?.trim() ?? "";
  return (
    text.length >= SHORTEST_SECRET && !/^(?:true|false|disabled|enabled|\d{1,8}|\/[\w./-]*)$/i.test(text)
  );
}

/** A secret also shows up line by line, inside JSON, in a URL and as base64. */
function spellings(value: string): readonly string[] {
  const lines = value.split(/\r?\n/).filter((line) => line.trim().length >= SHORTEST_SECRET);
  const inJson = JSON.stringify(value).slice(1, -1);
  return [value, ...lines, inJson, encodedForUrl(value), base64(value)].filter(
    (spelling) => spelling.length >= SHORTEST_SECRET,
  );
}

function encodedForUrl(value: string): string {
  return /\p{Surrogate}/u.test(value) ? "" : encodeURIComponent(value);
}

function base64(value: string): string {
  const bytes = new TextEncoder().encode(value);
  return btoa(String.fromCodePoint(...bytes)).replace(/=+$/, "");
}

function escapeForRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

const TOKEN_SHAPES = new RegExp(
  [
    String.raw`\bgh[pousr]_[A-Za-z0-9]{30,}`,
    String.raw`\bgithub_pat_\w{30,}`,
    String.raw`\bglpat-[\w-]{16,}`,
    String.raw`\bsk-[A-Za-z0-9_-]{20,}`,
    String.raw`\b[rsp]k_(?:live|test)_[A-Za-z0-9]{16,}`,
    String.raw`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`,
    String.raw`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`,
    String.raw`\bAIza[\w-]{35}`,
    String.raw`\bya29\.[\w-]{20,}`,
    String.raw`\bnpm_[A-Za-z0-9]{30,}`,
    String.raw`\bpypi-[\w-]{30,}`,
    String.raw`\bhf_[A-Za-z0-9]{30,}`,
    String.raw`\bdop_v1_[a-f0-9]{32,}`,
    String.raw`\bSG\.[\w-]{16,}\.[\w-]{16,}`,
    String.raw`\beyJ[\w-]{8,4096}\.eyJ[\w-]{8,}\.[\w-]{8,}`,
    String.raw`-----BEGIN [A-Z ]*PRIVATE KEY-----[\w+/=\s]{0,8192}(?:-----END [A-Z ]*PRIVATE KEY-----)?`,
  ].join("|"),
  "g",
);

/** The words before the secret stay, so that the reader knows what was hidden. */
const AFTER_WORDS = [
  /(\bBearer\s+|\bAuthorization:\s*\w+\s+|\bAccountKey=)[\w+/=.~-]{16,}/g,
  /(\/\/[^\s/:@]{0,64}:)[^\s@/"'<>]{3,}(?=@)/g,
] as const;

function maskTokenShapes(text: string): string {
  return AFTER_WORDS.reduce(
    (masked, shape) => masked.replace(shape, `$1${MASK}`),
    text.replace(TOKEN_SHAPES, MASK),
  );
}
