import { connect as connectPlainly, type Socket } from "node:net";
import { connect } from "node:tls";
import { onAbort } from "../../system/process/time-limit.ts";
import { type credentials, detailOf, type PassStore } from "./pass-store.ts";
import { RespReader, type RespValue, respCommand } from "./resp.ts";

export type Login = ReturnType<typeof credentials>;
type Command = readonly string[];

export function redisStore(url: string, login: Login): PassStore {
  const ask = async (
    commands: readonly Command[],
    signal: AbortSignal,
  ): Promise<readonly RespValue[] | string> => {
    try {
      return await askRedis(url, [...opening(url, login), ...commands], signal);
    } catch (error) {
      return `${new URL(url).host} cannot be reached: ${detailOf(error)}`;
    }
  };
  return {
    placeOf: (key) => `${url} ${nameOf(key)}`,
    get: async ({ keys, onFound, signal }) => {
      const replies = await ask([["MGET", ...keys.map(nameOf)]], signal);
      if (typeof replies === "string") return replies;
      const values = replies.at(-1);
      if (!Array.isArray(values)) return problemIn(replies) ?? "its answer cannot be read";
      for (const [at, key] of keys.entries()) {
        const value: unknown = values[at];
        if (typeof value === "string") onFound(key, value);
      }
      return undefined;
    },
    put: async ({ entries, expiresMs, signal }) => {
      const seconds = String(Math.max(1, Math.round(expiresMs / 1000)));
      const writes = [...entries].map(([key, text]) => ["SET", nameOf(key), text, "EX", seconds]);
      const replies = await ask(writes, signal);
      return typeof replies === "string" ? replies : problemIn(replies);
    },
  };
}

function nameOf(key: string): string {
  return `gauntlet:ac:${key}`;
}

export function opening(url: string, login: Login): readonly Command[] {
  const database = new URL(url).pathname.slice(1);
  return [
    ...(login === undefined
      ? []
      : [["AUTH", ...(login.user === undefined ? [] : [login.user]), login.secret]]),
    ...(database === "" || database === "0" ? [] : [["SELECT", database]]),
  ];
}

export function problemIn(replies: readonly RespValue[]): string | undefined {
  const error = replies.find((reply) => reply instanceof Error);
  return error instanceof Error ? error.message : undefined;
}

export async function askRedis(
  url: string,
  commands: readonly Command[],
  signal: AbortSignal,
): Promise<readonly RespValue[]> {
  const socket = openSocket(url);
  const reader = new RespReader();
  return await new Promise((resolve, reject) => {
    const replies: RespValue[] = [];
    const finish = (act: () => void): void => {
      forget();
      socket.destroy();
      act();
    };
    const forget = onAbort(signal, () => finish(() => reject(new Error("no answer in time"))));
    socket.on("error", (error) => finish(() => reject(error)));
    socket.on("close", () => finish(() => reject(new Error("it closed the connection"))));
    socket.on("data", (chunk) => {
      try {
        replies.push(...reader.push(chunk));
      } catch (error) {
        finish(() => reject(error instanceof Error ? error : new Error(String(error))));
      }
      if (replies.length >= commands.length) finish(() => resolve(replies));
    });
    socket.write(commands.map(respCommand).join(""));
  });
}

export function openSocket(url: string): Socket {
  const { hostname, port, protocol } = new URL(url);
  const address = { host: hostname.replaceAll(/^\[|\]$/g, ""), port: Number(port || 6379) };
  if (protocol === "redis:") return connectPlainly(address).setNoDelay(true);
  return connect({ ...address, servername: address.host });
}
