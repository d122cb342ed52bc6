import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** Admits requests that carry the token, and then the browser that got the cookie for it. */
export interface Secrets {
  /** Where we listen, as a browser names it: `127.0.0.1:4711`. */
  readonly host: string;
  readonly token: string;
  readonly cookieName: string;
  readonly cookie: string;
}

export interface Asked {
  readonly method: string | undefined;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
}

export type Admission =
  | { readonly kind: "admitted" }
  /** The token was right: the browser gets the cookie, and an address without the token. */
  | { readonly kind: "exchange" }
  | { readonly kind: "refused"; readonly status: 403 | 405; readonly words: string };

/**
 * Decides about a request. The host's name is checked against pages that let their own name lead to this machine, the origin against pages
 * that ask from elsewhere; and nothing can be changed here, so only reading is allowed.
 */
export function admit({ method, url, headers }: Asked, secrets: Secrets): Admission {
  if (headers.host !== secrets.host) return refused("This address is not the dashboard's.");
  if (method !== "GET" && method !== "HEAD")
    return { kind: "refused", status: 405, words: "The dashboard can only be read." };
  const { origin, "sec-fetch-site": site = "none" } = headers;
  const isElsewhere = origin !== undefined && origin !== `http://${secrets.host}`;
  if (isElsewhere || (site !== "none" && site !== "same-origin"))
    return refused("Another page asks for this. Type the address of the dashboard, or paste it.");
  const token = url.searchParams.get("token");
  if (token !== null) return isSame(token, secrets.token) ? { kind: "exchange" } : refused(ASK_FOR_ADDRESS);
  const given = cookieIn(headers.cookie ?? "", secrets.cookieName);
  return given !== undefined && isSame(given, secrets.cookie)
    ? { kind: "admitted" }
    : refused(ASK_FOR_ADDRESS);
}

const ASK_FOR_ADDRESS = "Open the whole address that `agent-gauntlet dashboard` printed.";

function refused(words: string): Admission {
  return { kind: "refused", status: 403, words };
}

function cookieIn(header: string, name: string): string | undefined {
  const parts = header.split(";").map((part) => part.trim());
  return parts.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1);
}

function isSame(given: string, known: string): boolean {
  const one = Buffer.from(given);
  const other = Buffer.from(known);
  return one.length === other.length && timingSafeEqual(one, other);
}
