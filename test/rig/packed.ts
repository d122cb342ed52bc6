import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import packageJson from "../../package.json" with { type: "json" };

/** Packs what is built here, as it would be published; returns the path of the archive. */
export function packInto(directory: string): string {
  const args = ["pack", "--ignore-scripts", "--silent", "--pack-destination", directory];
  const packed = execFileSync("npm", args, { cwd: resolve(import.meta.dirname, "../..") });
  return resolve(directory, packed.toString().trim());
}

/** A package registry on loopback that has one release of one package. */
export async function serveRegistry(archive: string): Promise<AsyncDisposable & { readonly url: string }> {
  const content = readFileSync(archive);
  const server = createServer((request, response) => {
    if (request.url?.endsWith(".tgz")) response.end(content);
    else if (decodeURIComponent(request.url ?? "") === `/${packageJson.name}`)
      response.end(JSON.stringify(releases(content, url())));
    else response.writeHead(404).end("{}");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server's address is never a string
  return {
    url: url(),
    [Symbol.asyncDispose]: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function releases(content: Buffer, url: string): object {
  const { name, version } = packageJson;
  const dist = {
    tarball: `${url}/agent-gauntlet.tgz`,
    integrity: `sha512-${createHash("sha512").update(content).digest("base64")}`,
  };
  return { name, "dist-tags": { latest: version }, versions: { [version]: { name, version, dist } } };
}
